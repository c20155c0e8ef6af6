import { expect, test } from "vitest";
import { textResult } from "../../mcp/tool.ts";
import type { Bus, CallHandle, CallListener, CallOrder, CallOutcome, Holder } from "./bus.ts";

interface TestHolder extends Holder {
  readonly received: { readonly order: CallOrder; readonly listener: CallListener }[];
  readonly heard: string[];
}

/** Accepts everything and leaves the rest to the test. */
function holderOf(): TestHolder {
  const holder: TestHolder = {
    received: [],
    heard: [],
    receive(order, listener): CallHandle {
      holder.received.push({ order, listener });
      listener.accepted();
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
  return { sessionId, callId: "c1", tool: "echo", args: { text: "hi" }, deadline: Date.now() + 10_000 };
}

/** Sends a call and notes what comes back. */
function send(bus: Bus, order: CallOrder) {
  const heard: string[] = [];
  const { promise, resolve } = Promise.withResolvers<CallOutcome>();
  const handle = bus.send(order, {
    accepted: () => void heard.push("accepted"),
    news: (news) => void heard.push(news.kind),
    settled: resolve,
  });
  return { handle, heard, outcome: promise };
}

/** What every bus has to do. */
export function testBus(open: () => Promise<Bus>): void {
  test("says at once that nobody is there", async () => {
    await using bus = await open();
    const call = send(bus, orderOf("a"));
    expect([await call.outcome, call.heard]).toEqual([{ kind: "nobody" }, []]);
    expect(await bus.held("a", 0)).toBe(false);
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
    const { handle } = send(bus, orderOf("a"));
    await expect.poll(() => holder.received.length).toBe(1);
    handle.answer("q", { answer: { action: "accept" } });
    handle.cancel("enough");
    await expect.poll(() => holder.heard).toEqual(['answer q: {"answer":{"action":"accept"}}', "cancel: enough"]);
  });

  test("has one holder a session: the new one takes over, and the old one's letting go changes nothing", async () => {
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

  test("knows a holder that let go as nobody", async () => {
    await using bus = await open();
    const release = await bus.hold("a", holderOf());
    expect(await bus.held("a", 0)).toBe(true);
    release();
    expect(await send(bus, orderOf("a")).outcome).toEqual({ kind: "nobody" });
  });

  test("tells those who wait when a holder comes, and lets go of those who stop waiting", async () => {
    await using bus = await open();
    const stop = new AbortController();
    const waits = [bus.held("a", 10_000), bus.held("a", 10_000, stop.signal), bus.held("a", 1)];
    expect(await waits[2]).toBe(false);
    stop.abort();
    expect(await waits[1]).toBe(false);
    await bus.hold("a", holderOf());
    expect(await waits[0]).toBe(true);
  });
}

/** Clocks of two machines differ: the moment may be another, the rest may not. */
function orderLike(order: CallOrder): object {
  return { ...order, deadline: expect.any(Number) };
}
