import { expect, test } from "vitest";
import type { ServerStatus } from "./server-status.ts";
import { authText } from "./server-text.ts";

const status = (more: Partial<ServerStatus>): ServerStatus => {
  return { name: "one", address: "", state: "ready", auth: "OAuth", tools: 0, resources: 0, prompts: 0, ...more };
};

test.each<[Partial<ServerStatus>, string]>([
  [{ auth: "API Key" }, "API Key"],
  [{}, "OAuth"],
  [{ state: "needs-sign-in" }, "OAuth (not signed in)"],
  [{ signedInUntil: "2026-01-01T02:00:00Z" }, "OAuth (expires 2h)"],
  [{ signedInUntil: "2026-01-01T00:00:45Z" }, "OAuth (expires 45s)"],
  [{ signedInUntil: "2026-01-01T00:30:00Z" }, "OAuth (expires 30m)"],
  [{ signedInUntil: "2026-01-11T00:00:00Z" }, "OAuth (expires 10d)"],
  [{ signedInUntil: "2025-12-31T00:00:00Z" }, "OAuth (expired)"],
])("%j reads %j", (more, text) => {
  expect(authText(status(more), Date.parse("2026-01-01T00:00:00Z"))).toBe(text);
});
