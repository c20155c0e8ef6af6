import { expect, test } from "vitest";
import type { AuditEntry } from "./audit-line.ts";
import { createCallCounts } from "./call-counts.ts";

const call = (client: string, outcome = "ok", at = 0): AuditEntry => ({
  at,
  caller: { door: "mcp-http", token: "phone", client },
  source: "files",
  tool: "files__read",
  verdict: "allow",
  why: "",
  ms: 5,
  outcome,
  sizeIn: 0,
  sizeOut: 0,
});

test("calls are counted by caller, the latest first, with those that failed and those that were refused", () => {
  const counts = createCallCounts();
  counts.note(call("a", "ok", 10));
  counts.note(call("b", "tool-error", 20));
  counts.note(call("b", "denied", 30));
  expect(counts.read()).toEqual({
    calls: 3,
    failed: 1,
    refused: 1,
    callers: [
      { door: "mcp-http", token: "phone", client: "b", calls: 2, failed: 1, refused: 1, lastAt: 35 },
      { door: "mcp-http", token: "phone", client: "a", calls: 1, failed: 0, refused: 0, lastAt: 15 },
    ],
  });
});

test("a client that names itself anew with each call does not fill the memory", () => {
  const counts = createCallCounts();
  for (let n = 0; n < 1000; n++) counts.note(call(`client ${n}`));
  const { calls, callers } = counts.read();
  expect(calls).toBe(1000);
  expect(callers).toHaveLength(201);
  expect(callers).toContainEqual({ door: "mcp-http", calls: 800, failed: 0, refused: 0, lastAt: 5 });
});
