import { expect, test } from "vitest";
import { createByteSemaphore } from "./byte-semaphore.ts";

const never = new AbortController().signal;

function held() {
  const { promise, resolve } = Promise.withResolvers<void>();
  let isRunning = false;
  const work = async (): Promise<void> => {
    isRunning = true;
    await promise;
    isRunning = false;
  };
  return { work, end: resolve, isRunning: () => isRunning };
}

const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("what has room passes beside the others, the rest in the order it came", async () => {
  const gate = createByteSemaphore(100);
  const [a, b, c, d] = [held(), held(), held(), held()];
  const all = [gate.pass(60, never, a.work), gate.pass(40, never, b.work), gate.pass(90, never, c.work)];
  all.push(gate.pass(5, never, d.work));
  await soon();
  expect([a, b, c, d].map(({ isRunning }) => isRunning())).toEqual([true, true, false, false]);
  b.end();
  await soon();
  // The small one would fit, but it came later.
  expect([c, d].map(({ isRunning }) => isRunning())).toEqual([false, false]);
  a.end();
  await soon();
  expect([c, d].map(({ isRunning }) => isRunning())).toEqual([true, true]);
  c.end();
  d.end();
  await Promise.all(all);
});

test("what is larger than the room passes alone, and what has no size at once", async () => {
  const gate = createByteSemaphore(10);
  const [large, next, empty] = [held(), held(), held()];
  const all = [gate.pass(50, never, large.work), gate.pass(1, never, next.work), gate.pass(0, never, empty.work)];
  await soon();
  expect([large, next, empty].map(({ isRunning }) => isRunning())).toEqual([true, false, true]);
  for (const { end } of [large, next, empty]) end();
  await Promise.all(all);
});

test("who is cancelled while waiting leaves the line, and work that fails makes room", async () => {
  const gate = createByteSemaphore(10);
  const first = held();
  const cancel = new AbortController();
  const failing = gate.pass(10, never, () => first.work().then(() => Promise.reject(new Error("no"))));
  const cancelled = gate.pass(10, cancel.signal, () => Promise.resolve("never"));
  const last = gate.pass(10, never, () => Promise.resolve("at last"));
  cancel.abort();
  await expect(cancelled).rejects.toMatchObject({ code: "cancelled" });
  first.end();
  await expect(failing).rejects.toThrow("no");
  expect(await last).toBe("at last");
});
