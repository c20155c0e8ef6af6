import { expect, test } from "vitest";
import { withDeadline } from "./deadline.ts";
import { sleep } from "./sleep.ts";

test("work that is done in time gives its result", async () => {
  expect(await withDeadline(60_000, undefined, async () => "done")).toBe("done");
});

test("work that pays no heed to its signal still times out", async () => {
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
