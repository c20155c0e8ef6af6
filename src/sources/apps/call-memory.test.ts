import { expect, test } from "vitest";
import { textResult } from "../../mcp/tool.ts";
import type { CallOutcome } from "./bus.ts";
import { createCallMemory } from "./call-memory.ts";
import { createMemoryBudget } from "./memory-budget.ts";

const budget = createMemoryBudget();
const done: CallOutcome = { kind: "done", result: textResult("done") };

test("an outcome is remembered for its time", () => {
  let time = 0;
  const memory = createCallMemory({ budget, now: () => time, keepMs: 100 });
  memory.remember("a", done, 10);
  time = 100;
  expect(memory.recall("a")).toBe(done);
  time = 101;
  expect([memory.recall("a"), memory.recall("b")]).toEqual([undefined, undefined]);
});

test("the oldest go when there are too many or they weigh too much", () => {
  const few = createCallMemory({ budget, now: () => 0, atMost: 2 });
  for (const id of ["a", "b", "c"]) few.remember(id, done, 1);
  expect(["a", "b", "c"].map((id) => few.recall(id) !== undefined)).toEqual([false, true, true]);
  const light = createCallMemory({ budget, now: () => 0, mostBytes: 100 });
  for (const id of ["a", "b", "c", "d", "e"]) light.remember(id, done, 25);
  expect(["a", "b", "e"].map((id) => light.recall(id) !== undefined)).toEqual([false, true, true]);
});

test("a result too heavy to keep is remembered as one that nobody has any more", () => {
  const memory = createCallMemory({ budget, now: () => 0, mostBytes: 100 });
  memory.remember("a", done, 60);
  expect(memory.recall("a")).toEqual({ kind: "lost" });
});

test("what is remembered counts in the budget until it is forgotten, and without room the result is not kept", () => {
  const small = createMemoryBudget(30);
  const memory = createCallMemory({ budget: small, now: () => 0, mostBytes: 100 });
  for (const id of ["a", "b"]) memory.remember(id, done, 20);
  expect([small.held, memory.recall("a"), memory.recall("b")]).toEqual([20, done, { kind: "lost" }]);
  memory.clear();
  expect([small.held, memory.recall("a")]).toEqual([0, undefined]);
});
