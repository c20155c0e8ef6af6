import { expect, test } from "vitest";
import { chooseSurface } from "./choose-surface.ts";

const small = { tools: 60, bytes: 61_440 };
const many = { tools: 61, bytes: 1000 };
const long = { tools: 3, bytes: 61_441 };

test.each([
  ["auto", "cursor", small, "full"],
  ["auto", "cursor", many, "search"],
  ["auto", "cursor", long, "search"],
  ["auto", undefined, many, "full"],
  ["auto", "", many, "full"],
  ["auto", "claude-code", many, "full"],
  ["auto", "Claude-Code", long, "full"],
  ["auto", "codex-mcp-client", many, "full"],
  ["auto", "openclaw-bundle-mcp", many, "full"],
  ["auto", "clawport", many, "full"],
  ["auto", "claude-code-lookalike", many, "search"],
  ["full", "cursor", many, "full"],
  ["search", "claude-code", small, "search"],
  ["search", undefined, small, "search"],
] as const)("%s gives %s with %o the surface %s", (setting, client, size, surface) => {
  expect(chooseSurface(setting, client, size).surface).toBe(surface);
});
