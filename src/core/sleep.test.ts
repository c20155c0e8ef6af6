import { expect, test } from "vitest";
import { Fault } from "./fault.ts";
import { sleep } from "./sleep.ts";

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
