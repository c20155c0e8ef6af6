import { expect, test } from "vitest";
import { textResult } from "../../../mcp/messages/tool.ts";
import { createMemoryBudget } from "../memory-budget.ts";
import type { CallOutcome } from "./call-bus.ts";
import { createIdempotencyCache, type RememberedCall } from "./idempotency-cache.ts";

const budget = createMemoryBudget();
const done: CallOutcome = { kind: "done", result: textResult("done") };
const gone = { kind: "done", result: { isError: true } };

function call(bytes: number, outcome: CallOutcome = done): RememberedCall {
  return { fingerprint: "f", outcome, bytes };
}

test("an outcome is remembered for its time, with the fingerprint of the call", () => {
  let time = 0;
  const cache = createIdempotencyCache({ budget, now: () => time, keepMs: 100 });
  cache.remember("a", call(10));
  time = 100;
  expect(cache.recall("a")).toMatchObject(call(10));
  time = 101;
  expect([cache.recall("a"), cache.recall("b")]).toEqual([undefined, undefined]);
});

test("no call is forgotten before its time: when there are too many, there is no room for more", () => {
  let time = 0;
  const cache = createIdempotencyCache({ budget, now: () => time, keepMs: 100, maxCalls: 2 });
  cache.remember("a", call(1));
  time = 50;
  cache.remember("b", call(1));
  expect(cache.hasRoom()).toBe(false);
  expect(["a", "b"].map((id) => cache.recall(id)?.outcome)).toEqual([done, done]);
  time = 101;
  expect([cache.hasRoom(), cache.recall("a"), cache.recall("b")?.outcome]).toEqual([true, undefined, done]);
});

test("the oldest results are dropped when all together are too large, but their calls stay remembered", () => {
  const cache = createIdempotencyCache({ budget, now: () => 0, maxBytes: 100 });
  for (const id of ["a", "b", "c", "d", "e"]) cache.remember(id, call(25));
  expect(["a", "b", "e"].map((id) => cache.recall(id)?.outcome)).toMatchObject([gone, done, done]);
  cache.remember("heavy", call(60));
  expect(cache.recall("heavy")?.outcome).toMatchObject(gone);
  cache.remember("unknown", call(0, { kind: "lost" }));
  for (const id of ["f", "g", "h", "i", "j"]) cache.remember(id, call(25));
  expect(cache.recall("unknown")?.outcome).toEqual({ kind: "lost" });
});

test("a budget that remembered calls have exceeded still accepts what needs no room", () => {
  const small = createMemoryBudget(600);
  const cache = createIdempotencyCache({ budget: small, now: () => 0 });
  for (const id of ["a", "b"]) cache.remember(id, call(0));
  expect(small.held).toBeGreaterThan(600);
  expect([small.take(0), small.take(-1), small.take(1)]).toEqual([true, true, false]);
});

test("remembered calls count in the budget until they are forgotten, and without room the result is dropped", () => {
  const small = createMemoryBudget(600);
  const cache = createIdempotencyCache({ budget: small, now: () => 0, maxBytes: 400 });
  expect(cache.hasRoom()).toBe(true);
  for (const id of ["a", "b"]) cache.remember(id, call(80));
  expect(["a", "b"].map((id) => cache.recall(id)?.outcome)).toMatchObject([done, gone]);
  expect([small.held > 1000, cache.hasRoom()]).toEqual([true, false]);
  cache.clear();
  expect([small.held, cache.recall("a")]).toEqual([0, undefined]);
});
