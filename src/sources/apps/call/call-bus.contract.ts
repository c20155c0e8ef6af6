import { expect, test } from "vitest";
import { silentLog } from "../../../core/log.ts";
import { textResult } from "../../../mcp/messages/tool.ts";
import type { CallRules } from "./attempt-call.ts";
import { type AppCallContext, callApp } from "./call-app.ts";
import type { BridgeHolder, CallBus, CallHandle, CallListener, CallOrder, CallOutcome } from "./call-bus.ts";

interface TestHolder extends BridgeHolder {
  readonly received: { readonly order: CallOrder; readonly listener: CallListener }[];
  readonly heard: string[];
}

/** Accepts the calls that `accepts` names, and leaves the rest to the test. */
function holderOf(accepts: (order: CallOrder) => boolean = () => true): TestHolder {
  const holder: TestHolder = {
    received: [],
    heard: [],
    receive(order, listener): CallHandle {
      holder.received.push({ order, listener });
      if (accepts(order)) listener.accepted();
      return {
        cancel: (reason) => void holder.heard.push(`cancel: ${reason}`),
        answer: (askId, answer) => void holder.heard.push(`answer ${askId}: ${JSON.stringify(answer)}`),
      };
    },
    evict: () => void holder.heard.push("evicted"),
  };
  return holder;
}

function orderOf(sessionId: string): CallOrder {
  return {
    sessionId,
    callId: "c1",
    tool: "echo",
    args: { text: "hi" },
    deadline: Date.now() + 10_000,
    mayRepeat: true,
  };
}

/** Sends a call and records what comes back. */
function send(bus: CallBus, order: CallOrder) {
  const heard: string[] = [];
  const { promise, resolve } = Promise.withResolvers<CallOutcome>();
  const sent = { handle: sendOnce(), heard, outcome: promise };
  return sent;

  function sendOnce(): CallHandle {
    return bus.send(order, {
      accepted: () => void heard.push("accepted"),
      news: (news) => void heard.push(news.kind),
      settled(outcome) {
        if (outcome.kind !== "skipped") return resolve(outcome);
        // This process stood still for a moment, as on a busy machine.
        setTimeout(() => (sent.handle = sendOnce()), 200);
      },
    });
  }
}

/** Makes a call with `callApp`, which soon sends it again if it is not accepted. */
function callOver(bus: CallBus, callId: string) {
  const stop = new AbortController();
  const counted: string[] = [];
  const context: AppCallContext = {
    caller: { door: "app-proxy" },
    signal: stop.signal,
    log: silentLog,
    progress: () => {},
    tell: () => {},
    ask: () => Promise.reject(new Error("nobody asks")),
    callId,
  };
  const count = (event: string) => void counted.push(event);
  // Within one process an acceptance takes no time; over a network it takes some.
  const times = { timeoutMs: 15_000, graceMs: 0, acceptMs: bus.isReliable ? 5 : 300, now: Date.now };
  const rules: CallRules = { bus, ...times, count };
  const result = callApp(rules, "a", "echo", {}, context);
  result.catch(() => {});
  return { result, stop, counted };
}

/** What every bus must do. */
export function testCallBus(open: () => Promise<CallBus>): void {
  test("reports at once that there is no holder", async () => {
    await using bus = await open();
    const call = send(bus, orderOf("a"));
    expect([await call.outcome, call.heard]).toEqual([{ kind: "nobody" }, []]);
    expect(await bus.waitForHolder("a", 0)).toBe(false);
  });

  test("carries a call to its holder and everything back in order, the outcome last", async () => {
    await using bus = await open();
    const holder = holderOf();
    const other = holderOf();
    await bus.hold("a", holder);
    await bus.hold("b", other);
    const call = send(bus, orderOf("a"));
    await expect.poll(() => holder.received.length).toBe(1);
    const { order, listener } = holder.received[0]!;
    expect(order).toEqual(orderLike(orderOf("a")));
    listener.news({ kind: "progress", progress: { progress: 1 } });
    listener.news({ kind: "log", line: { level: "info", data: "x" } });
    listener.settled({ kind: "done", result: textResult("done") });
    expect(await call.outcome).toEqual({ kind: "done", result: textResult("done") });
    expect(call.heard).toEqual(["accepted", "progress", "log"]);
    expect(other.received).toEqual([]);
  });

  test("carries cancels and answers to the holder", async () => {
    await using bus = await open();
    const holder = holderOf();
    await bus.hold("a", holder);
    const call = send(bus, orderOf("a"));
    await expect.poll(() => holder.received.length).toBe(1);
    call.handle.answer("q", { answer: { action: "accept" } });
    call.handle.cancel("enough");
    await expect.poll(() => holder.heard).toEqual(['answer q: {"answer":{"action":"accept"}}', "cancel: enough"]);
  });

  test("has one holder per session: a new one takes over, and the release of the old one changes nothing", async () => {
    await using bus = await open();
    const old = holderOf();
    const release = await bus.hold("a", old);
    const holder = holderOf();
    await bus.hold("a", holder);
    release();
    send(bus, orderOf("a"));
    await expect.poll(() => holder.received.length).toBe(1);
    expect([old.heard, old.received]).toEqual([["evicted"], []]);
  });

  test("has no holder after a release", async () => {
    await using bus = await open();
    const release = await bus.hold("a", holderOf());
    expect(await bus.waitForHolder("a", 0)).toBe(true);
    release();
    expect(await send(bus, orderOf("a")).outcome).toEqual({ kind: "nobody" });
  });

  test("sends a call that was not accepted again, under the same id, until it is accepted", async () => {
    await using bus = await open();
    const holder = holderOf(() => holder.received.length >= 3);
    await bus.hold("a", holder);
    const { result, counted } = callOver(bus, "c1");
    await expect.poll(() => holder.received.length).toBe(3);
    expect(new Set(holder.received.map(({ order }) => order.callId))).toEqual(new Set(["c1"]));
    for (const { listener } of holder.received) listener.settled({ kind: "done", result: textResult("once") });
    expect(await result).toEqual(textResult("once"));
    expect(counted).toEqual(["call resent", "call resent"]);
  });

  test("sends an accepted call only once, however long it takes", async () => {
    await using bus = await open();
    const holder = holderOf(({ callId }) => callId === "accepted");
    await bus.hold("a", holder);
    const accepted = callOver(bus, "accepted");
    const other = callOver(bus, "other");
    const times = (id: string) => holder.received.filter(({ order }) => order.callId === id).length;
    await expect.poll(() => times("other")).toBeGreaterThan(3);
    expect(times("accepted")).toBe(1);
    for (const { listener } of holder.received) listener.settled({ kind: "done", result: textResult("done") });
    expect(await Promise.all([accepted.result, other.result])).toEqual([textResult("done"), textResult("done")]);
  });

  test("reports an unknown outcome for a call without an answer, even if it is refused the second time", async () => {
    await using bus = await open();
    const holder = holderOf(() => false);
    const release = await bus.hold("a", holder);
    const { result } = callOver(bus, "c1");
    await expect.poll(() => holder.received.length).toBeGreaterThan(0);
    release();
    await expect(result).rejects.toMatchObject({ code: "outcome-unknown" });
  });

  test("sends a cancel for every sending of a cancelled call", async () => {
    await using bus = await open();
    const holder = holderOf(() => false);
    await bus.hold("a", holder);
    const { result, stop } = callOver(bus, "c1");
    await expect.poll(() => holder.received.length).toBeGreaterThan(1);
    stop.abort();
    await expect(result).rejects.toMatchObject({ code: "cancelled" });
    // A sending may still be on its way; its cancel comes behind it.
    await expect.poll(() => holder.received.length - holder.heard.length).toBe(0);
    expect(new Set(holder.heard)).toEqual(new Set(["cancel: The caller cancelled the call."]));
  });

  test("resolves waits for a holder when one comes, when time is up and when they are aborted", async () => {
    await using bus = await open();
    const stop = new AbortController();
    const waits = [
      bus.waitForHolder("a", 10_000),
      bus.waitForHolder("a", 10_000, stop.signal),
      bus.waitForHolder("a", 1),
    ];
    expect(await waits[2]).toBe(false);
    stop.abort();
    expect(await waits[1]).toBe(false);
    await bus.hold("a", holderOf());
    expect(await waits[0]).toBe(true);
  });
}

/** The clocks of two machines differ, so the deadline may differ; the rest may not. */
function orderLike(order: CallOrder): object {
  return { ...order, deadline: expect.any(Number) };
}
