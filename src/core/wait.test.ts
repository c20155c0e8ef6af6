import * as fc from "fast-check";
import { expect, test } from "vitest";
import { Fault } from "./fault.ts";
import { backoffDelays, settledWithin, sleep, withDeadline } from "./wait.ts";

test("waits double up to the longest and stay there", () => {
  const delays = backoffDelays({ firstMs: 1000, maxMs: 60_000 });
  expect([...delays.take(8)]).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
});

test("jitter only ever shortens a wait, by no more than its part", () => {
  const parts = {
    random: fc.double({ min: 0, max: 1, noNaN: true }),
    jitter: fc.double({ min: 0, max: 1, noNaN: true }),
  };
  fc.assert(
    fc.property(fc.record(parts), ({ random, jitter }) => {
      const [delay = -1] = backoffDelays({ firstMs: 1000, maxMs: 5000, jitter, random: () => random });
      expect(delay).toBeLessThanOrEqual(1000);
      expect(delay).toBeGreaterThanOrEqual(Math.floor(1000 * (1 - jitter)));
    }),
  );
});

test("the first wait is never longer than the longest", () => {
  expect(backoffDelays({ firstMs: 900, maxMs: 100 }).next().value).toBe(100);
});

test.each([
  ["is done", () => Promise.resolve(), true],
  ["has failed", () => Promise.reject(new Error("no")), true],
  ["goes on", () => new Promise(() => {}), false],
])("whether work that %s settles within the time", async (_, work, settled) => {
  expect(await settledWithin(work(), 10)).toBe(settled);
});

test("work that is done in time gives its result", async () => {
  expect(await withDeadline(60_000, undefined, async () => "done")).toBe("done");
});

test("work that ignores its signal still times out", async () => {
  await expect(withDeadline(10, undefined, () => new Promise(() => {}))).rejects.toMatchObject({ code: "timeout" });
});

test("the signal tells the work that its time is over", async () => {
  let told: unknown;
  const work = (signal: AbortSignal): Promise<void> => {
    signal.addEventListener("abort", () => (told = signal.reason));
    return sleep(60_000, signal);
  };
  await expect(withDeadline(10, undefined, work)).rejects.toMatchObject({ code: "timeout" });
  expect(told).toMatchObject({ code: "timeout" });
});

test("a cancel from outside is a cancel and not a timeout", async () => {
  const stop = new AbortController();
  const working = withDeadline(60_000, stop.signal, (signal) => sleep(60_000, signal));
  stop.abort();
  await expect(working).rejects.toMatchObject({ code: "cancelled" });
});

test("a deadline inside a deadline keeps the outer one's fault", async () => {
  const inner = withDeadline(10, undefined, (outer) => withDeadline(60_000, outer, () => new Promise(() => {})));
  await expect(inner).rejects.toMatchObject({ code: "timeout", detail: { ms: 10 } });
});

test("no deadline is no timer, however long", async () => {
  expect(await withDeadline(Number.POSITIVE_INFINITY, undefined, () => sleep(5).then(() => 1))).toBe(1);
});

test("sleep lasts at least as long as asked", async () => {
  const start = performance.now();
  await sleep(20);
  expect(performance.now() - start).toBeGreaterThan(18);
});

test("an abort ends the sleep with a fault", async () => {
  const stop = new AbortController();
  const sleeping = sleep(60_000, stop.signal);
  stop.abort();
  await expect(sleeping).rejects.toMatchObject({ name: "Fault", code: "cancelled" });
});

test("a signal that is aborted already ends it at once, with the fault it carries", async () => {
  const reason = new Fault("timeout", "too late");
  await expect(sleep(60_000, AbortSignal.abort(reason))).rejects.toBe(reason);
});
