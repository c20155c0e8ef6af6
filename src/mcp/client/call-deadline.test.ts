import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Fault } from "../../core/fault.ts";
import { createCallDeadline } from "./call-deadline.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function watch(timeoutMs: number, maxTotalMs?: number) {
  const late: Fault[] = [];
  return { late, deadline: createCallDeadline({ timeoutMs, maxTotalMs }, (fault) => late.push(fault)) };
}

test("silence ends a call after its time, and not before", () => {
  const { late } = watch(100);
  vi.advanceTimersByTime(99);
  expect(late).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(late).toMatchObject([{ code: "timeout" }]);
});

test("each message restarts the timeout, up to the total time limit", () => {
  const { late, deadline } = watch(100, 250);
  for (let step = 0; step < 4; step++) {
    vi.advanceTimersByTime(60);
    deadline.extend();
  }
  expect(late).toEqual([]);
  vi.advanceTimersByTime(10);
  expect(late).toMatchObject([{ code: "timeout", message: expect.stringContaining("250 ms") }]);
});

test("a wait that the server requested does not count as silence", () => {
  const { late, deadline } = watch(100);
  deadline.extend(500);
  vi.advanceTimersByTime(599);
  expect(late).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(late).toHaveLength(1);
});

test("while a question is open only the total time limit counts", () => {
  const { late, deadline } = watch(100, 1000);
  const [first, second] = [deadline.hold(), deadline.hold()];
  vi.advanceTimersByTime(500);
  first();
  first();
  deadline.extend();
  vi.advanceTimersByTime(200);
  second();
  vi.advanceTimersByTime(99);
  expect(late).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(late).toMatchObject([{ message: expect.stringContaining("100 ms") }]);
  deadline.hold();
  vi.advanceTimersByTime(200);
  expect(late).toMatchObject([{}, { message: expect.stringContaining("1000 ms") }]);
});

test("the message names the setting of the limit that was reached", () => {
  const settings = { timeoutMs: "servers.a.requestTimeoutMs", maxTotalMs: "servers.a.maxTotalTimeoutMs" };
  const late: string[] = [];
  createCallDeadline({ timeoutMs: 100, maxTotalMs: 150, settings }, ({ message }) => late.push(message));
  vi.advanceTimersByTime(150);
  expect(late).toEqual([
    "The server did not answer within 100 ms. Raise `servers.a.requestTimeoutMs` in the configuration to wait longer.",
    "The server did not answer within 150 ms. Raise `servers.a.maxTotalTimeoutMs` in the configuration to wait longer.",
  ]);
});

test("a call that has ended can't time out", () => {
  const { late, deadline } = watch(100, 200);
  const release = deadline.hold();
  deadline.stop();
  release();
  deadline.extend();
  vi.advanceTimersByTime(1000);
  expect(late).toEqual([]);
});

test("a timeout of zero means no limit", () => {
  const { late, deadline } = watch(0, 10);
  deadline.extend();
  vi.advanceTimersByTime(100_000);
  expect(late).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
});
