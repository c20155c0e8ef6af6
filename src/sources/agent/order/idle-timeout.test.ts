import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createIdleTimeout } from "./idle-timeout.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("every sign of life restarts the timer, and silence aborts the signal", () => {
  using idle = createIdleTimeout(new AbortController().signal, 1000);
  for (let step = 0; step < 5; step++) {
    vi.advanceTimersByTime(900);
    idle.restart();
  }
  expect(idle.signal.aborted).toBe(false);
  vi.advanceTimersByTime(1000);
  expect(idle.signal.reason).toMatchObject({ code: "timeout" });
});

test("it aborts with the outer signal, even if that was aborted before", () => {
  const outer = new AbortController();
  using live = createIdleTimeout(outer.signal, 1000);
  outer.abort();
  expect(live.signal.reason).toMatchObject({ code: "cancelled" });
  using late = createIdleTimeout(outer.signal, 1000);
  expect(late.signal.aborted).toBe(true);
});

test("silence while the user is asked does not count", async () => {
  using idle = createIdleTimeout(new AbortController().signal, 1000);
  const answer = Promise.withResolvers<string>();
  const asked = idle.during(() => answer.promise);
  vi.advanceTimersByTime(5000);
  expect(idle.signal.aborted).toBe(false);
  answer.resolve("blue");
  expect(await asked).toBe("blue");
  vi.advanceTimersByTime(1000);
  expect(idle.signal.reason).toMatchObject({ code: "timeout" });
});
