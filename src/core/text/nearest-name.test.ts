import { expect, test } from "vitest";
import { nearestName } from "./nearest-name.ts";

const known = ["hub", "log", "servers", "catalog", "maxConcurrentServers", "requestTimeoutMs"];

test.each([
  ["sevrers", "servers"],
  ["Servers", "servers"],
  ["mcpServers", "servers"],
  ["requestTimeout", "requestTimeoutMs"],
  ["hubb", "hub"],
  ["x", undefined],
  ["entirelyDifferent", undefined],
])("%s probably means %s", (typed, meant) => {
  expect(nearestName(typed, known)).toBe(meant);
});
