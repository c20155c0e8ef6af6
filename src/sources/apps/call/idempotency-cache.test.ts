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

test("an outcome is remembered for its time, with what the call was", () => {
  let time = 0;
  const memory = createIdempotencyCache({ budget, now: () => time, keepMs: 100 });
  memory.remember("a", call(10));
  time = 100;
  expect(memory.recall("a")).toMatchObject(call(10));
  time = 101;
  expect([memory.recall("a"), memory.recall("b")]).toEqual([undefined, undefined]);
});

test("none is forgotten before its time: where there are too many, there is no room for more", () => {
  let time = 0;
  const memory = createIdempotencyCache({ budget, now: () => time, keepMs: 100, atMost: 2 });
  memory.remember("a", call(1));
  time = 50;
  memory.remember("b", call(1));
  expect(memory.hasRoom()).toBe(false);
  expect(["a", "b"].map((id) => memory.recall(id)?.outcome)).toEqual([done, done]);
  time = 101;
  expect([memory.hasRoom(), memory.recall("a"), memory.recall("b")?.outcome]).toEqual([true, undefined, done]);
});

test("the oldest results go when all weigh too much, but not that their calls ran", () => {
  const memory = createIdempotencyCache({ budget, now: () => 0, mostBytes: 100 });
  for (const id of ["a", "b", "c", "d", "e"]) memory.remember(id, call(25));
  expect(["a", "b", "e"].map((id) => memory.recall(id)?.outcome)).toMatchObject([gone, done, done]);
  memory.remember("heavy", call(60));
  expect(memory.recall("heavy")?.outcome).toMatchObject(gone);
  memory.remember("unknown", call(0, { kind: "lost" }));
  for (const id of ["f", "g", "h", "i", "j"]) memory.remember(id, call(25));
  expect(memory.recall("unknown")?.outcome).toEqual({ kind: "lost" });
});

test("a budget that is used up by what is remembered still has nothing against what needs no room", () => {
  const small = createMemoryBudget(600);
  const memory = createIdempotencyCache({ budget: small, now: () => 0 });
  for (const id of ["a", "b"]) memory.remember(id, call(0));
  expect(small.held).toBeGreaterThan(600);
  expect([small.take(0), small.take(-1), small.take(1)]).toEqual([true, true, false]);
});

test("what is remembered counts in the budget until it is forgotten, and without room the result is not kept", () => {
  const small = createMemoryBudget(600);
  const memory = createIdempotencyCache({ budget: small, now: () => 0, mostBytes: 400 });
  expect(memory.hasRoom()).toBe(true);
  for (const id of ["a", "b"]) memory.remember(id, call(80));
  expect(["a", "b"].map((id) => memory.recall(id)?.outcome)).toMatchObject([done, gone]);
  expect([small.held > 1000, memory.hasRoom()]).toEqual([true, false]);
  memory.clear();
  expect([small.held, memory.recall("a")]).toEqual([0, undefined]);
});
