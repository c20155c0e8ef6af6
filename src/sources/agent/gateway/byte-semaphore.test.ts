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

test("work that fits runs at once, the rest in the order of the calls", async () => {
  const semaphore = createByteSemaphore(100);
  const [a, b, c, d] = [held(), held(), held(), held()];
  const all = [semaphore.run(60, never, a.work), semaphore.run(40, never, b.work), semaphore.run(90, never, c.work)];
  all.push(semaphore.run(5, never, d.work));
  await soon();
  expect([a, b, c, d].map(({ isRunning }) => isRunning())).toEqual([true, true, false, false]);
  b.end();
  await soon();
  // `d` would fit, but it came after `c`.
  expect([c, d].map(({ isRunning }) => isRunning())).toEqual([false, false]);
  a.end();
  await soon();
  expect([c, d].map(({ isRunning }) => isRunning())).toEqual([true, true]);
  c.end();
  d.end();
  await Promise.all(all);
});

test("work larger than the limit runs alone, work without a size at once", async () => {
  const semaphore = createByteSemaphore(10);
  const [large, next, empty] = [held(), held(), held()];
  const all = [
    semaphore.run(50, never, large.work),
    semaphore.run(1, never, next.work),
    semaphore.run(0, never, empty.work),
  ];
  await soon();
  expect([large, next, empty].map(({ isRunning }) => isRunning())).toEqual([true, false, true]);
  for (const { end } of [large, next, empty]) end();
  await Promise.all(all);
});

test("cancelled work leaves the queue, and work that fails frees its bytes", async () => {
  const semaphore = createByteSemaphore(10);
  const first = held();
  const cancel = new AbortController();
  const failing = semaphore.run(10, never, () => first.work().then(() => Promise.reject(new Error("no"))));
  const cancelled = semaphore.run(10, cancel.signal, () => Promise.resolve("never"));
  const last = semaphore.run(10, never, () => Promise.resolve("at last"));
  cancel.abort();
  await expect(cancelled).rejects.toMatchObject({ code: "cancelled" });
  first.end();
  await expect(failing).rejects.toThrow("no");
  expect(await last).toBe("at last");
});
