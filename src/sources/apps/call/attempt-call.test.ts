import { expect, test } from "vitest";
import { silentLog } from "../../../core/log.ts";
import { attemptCall, type CallRules } from "./attempt-call.ts";
import {
  type CallBus,
  type CallListener,
  type CallOrder,
  createLocalBus,
  lostOutcome,
  noHolderOutcome,
  skippedOutcome,
} from "./call-bus.ts";

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
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  const before = timers();
  await expect(attemptCall(orderOf(), rulesOf(bus), { ...contextOf(), abort })).rejects.toThrow("no bus");
  expect([listening.size, timers()]).toEqual([0, before]);
});

test.each([noHolderOutcome, skippedOutcome])(
  "a call that was sent twice may go elsewhere once both sendings are known not to run: $kind",
  async (first) => {
    const { end, sent } = await sendTwice();
    refuseAll(sent.slice(1));
    sent[0]!.settled(first);
    expect(await end).toEqual(noHolderOutcome);
  },
);

test("a call that was refused runs if an earlier sending is accepted after all", async () => {
  const { end, sent } = await sendTwice();
  refuseAll(sent.slice(1));
  sent[0]!.accepted();
  const done = { kind: "done" as const, result: { content: [] } };
  sent[0]!.settled(done);
  expect(await end).toEqual(done);
});

test("a call that was refused has an unknown outcome if an earlier sending gets no answer", async () => {
  const { end, sent } = await sendTwice();
  refuseAll(sent.slice(1));
  expect(await end).toEqual(lostOutcome);
});

/** A call that no holder has answered yet. */
async function sendTwice() {
  const sent: CallListener[] = [];
  const handle = { cancel() {}, answer() {} };
  const bus = { ...createLocalBus(), send: (_: unknown, listener: CallListener) => (sent.push(listener), handle) };
  const end = attemptCall(orderOf(), { ...rulesOf(bus), acceptMs: 100 }, contextOf());
  await expect.poll(() => sent.length, { interval: 5 }).toBeGreaterThan(1);
  return { end, sent };
}

function refuseAll(sent: readonly CallListener[]): void {
  for (const each of sent) each.settled(noHolderOutcome);
}

function contextOf() {
  return {
    caller: { door: "app-proxy" as const },
    signal: new AbortController().signal,
    log: silentLog,
    progress: () => {},
    tell: () => {},
    ask: () => Promise.reject(new Error("nobody asks")),
  };
}

function rulesOf(bus: CallBus): CallRules {
  return { bus, timeoutMs: 30_000, graceMs: 0, acceptMs: 5, now: Date.now, count: () => {} };
}

function orderOf(): CallOrder {
  return { sessionId: "a", callId: "c", tool: "echo", args: {}, deadline: Date.now() + 30_000, mayRepeat: false };
}
