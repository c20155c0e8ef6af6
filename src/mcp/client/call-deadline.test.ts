import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Fault } from "../../core/fault.ts";
import { CallDeadline, type CallLimits, createDeadlineClock } from "./call-deadline.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  clock.stop();
  calls.clear();
  vi.useRealTimers();
});

const calls = new Set<{ readonly deadline: CallDeadline; expire(fault: Fault): void }>();
const clock = createDeadlineClock(calls);

function watch(timeoutMs: number, maxTotalMs?: number, settings?: CallLimits["settings"]) {
  const late: Fault[] = [];
  const deadline = new CallDeadline({ timeoutMs, maxTotalMs, settings }, clock);
  const call = {
    deadline,
    expire(fault: Fault) {
      late.push(fault);
      end();
    },
  };
  const end = () => calls.delete(call) && deadline.end();
  calls.add(call);
  return { late, deadline, end };
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
});

test("the total time ends a call even while a question is open", () => {
  const { late, deadline } = watch(100, 1000);
  deadline.hold();
  vi.advanceTimersByTime(999);
  expect(late).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(late).toMatchObject([{ message: expect.stringContaining("1000 ms") }]);
});

test("the message names the setting of the limit that was reached", () => {
  const settings = { timeoutMs: "servers.a.requestTimeoutMs", maxTotalMs: "servers.a.maxTotalTimeoutMs" };
  const [silent, talking] = [watch(100, 150, settings), watch(100, 150, settings)];
  vi.advanceTimersByTime(99);
  talking.deadline.extend();
  vi.advanceTimersByTime(51);
  expect([...silent.late, ...talking.late].map(({ message }) => message)).toEqual([
    "The server did not answer within 100 ms. Raise `servers.a.requestTimeoutMs` in the configuration to wait longer.",
    "The server did not answer within 150 ms. Raise `servers.a.maxTotalTimeoutMs` in the configuration to wait longer.",
  ]);
});

test("a call that has ended can't time out", () => {
  const { late, deadline, end } = watch(100, 200);
  const release = deadline.hold();
  end();
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

test("all calls share one timer, and each ends at its own time", () => {
  const [long, short, ended] = [watch(300), watch(100), watch(50)];
  expect(vi.getTimerCount()).toBe(1);
  ended.end();
  vi.advanceTimersByTime(100);
  expect([long.late.length, short.late.length, ended.late.length]).toEqual([0, 1, 0]);
  vi.advanceTimersByTime(199);
  expect(long.late).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(long.late).toHaveLength(1);
  expect(vi.getTimerCount()).toBe(0);
});

test("a limit that is longer than the longest timer counts as well", () => {
  const { late } = watch(3_000_000_000);
  vi.advanceTimersByTime(2_999_999_999);
  expect(late).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(late).toHaveLength(1);
});

test("a call may end another one, and begin a new one, when its time is over", () => {
  const first = watch(100);
  const second = watch(100);
  const later: ReturnType<typeof watch>[] = [];
  const [call] = calls;
  const expire = call!.expire.bind(call);
  call!.expire = (fault) => {
    expire(fault);
    second.end();
    later.push(watch(50));
  };
  vi.advanceTimersByTime(100);
  expect([first.late.length, second.late.length]).toEqual([1, 0]);
  vi.advanceTimersByTime(50);
  expect(later[0]?.late).toHaveLength(1);
  expect(vi.getTimerCount()).toBe(0);
});

test("a time that passed while the process was busy is no timer that Node warns of", async () => {
  vi.useRealTimers();
  const warned = vi.fn<() => void>();
  process.on("warning", warned);
  const busy = createDeadlineClock([]);
  busy.wakeAt(busy.now() - 1000);
  await nextTurn();
  busy.stop();
  process.off("warning", warned);
  expect(warned).not.toHaveBeenCalled();
});
