import { expect, test } from "vitest";
import { silentLog } from "../../../core/log.ts";
import { attemptCall } from "./attempt-call.ts";
import { createLocalBus } from "./call-bus.ts";

test("a call that can't be sent fails at once, and leaves no timer or listener behind", async () => {
  const bus = { ...createLocalBus(), send: () => expect.unreachable("no bus") };
  const listening = new Set<unknown>();
  const abort = {
    aborted: false,
    signal: new AbortController().signal,
    reason: undefined,
    listen: (listener: unknown) => void listening.add(listener),
    unlisten: (listener: unknown) => void listening.delete(listener),
  };
  const context = {
    caller: { door: "app-proxy" as const },
    signal: new AbortController().signal,
    abort,
    log: silentLog,
    progress: () => {},
    tell: () => {},
    ask: () => Promise.reject(new Error("nobody asks")),
  };
  const rules = { bus, timeoutMs: 1000, graceMs: 0, acceptMs: 5, now: Date.now, count: () => {} };
  const deadline = Date.now() + 1000;
  const order = { sessionId: "a", callId: "c", tool: "echo", args: {}, deadline, mayRepeat: false };
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  const before = timers();
  await expect(attemptCall(order, rules, context)).rejects.toThrow("no bus");
  expect([listening.size, timers()]).toEqual([0, before]);
});
