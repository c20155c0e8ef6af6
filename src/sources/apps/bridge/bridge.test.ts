import { describe, expect, test } from "vitest";
import type { CallOrder, CallOutcome } from "../call/call-bus.ts";
import { createIdempotencyCache } from "../call/idempotency-cache.ts";
import { createMemoryBudget } from "../memory-budget.ts";
import type { BridgeSocket } from "./bridge-socket.ts";
import { Bridge } from "./bridge.ts";

/** A bridge over a socket that records everything and accepts every write at once. */
function open({ buffered = 0, maxHeld = 1_000_000 } = {}) {
  const wire: unknown[] = [];
  let isOpen = true;
  const end = (how: unknown) => {
    isOpen = false;
    wire.push(how);
  };
  const socket: BridgeSocket = {
    isOpen: () => isOpen,
    bufferedAmount: buffered,
    send(text, written) {
      wire.push((JSON.parse(text) as { type: string }).type);
      setImmediate(written);
    },
    ping: () => {},
    close: end,
    terminate: () => end("terminated"),
  };
  const budget = createMemoryBudget(maxHeld);
  const pastCalls = createIdempotencyCache({ now: () => 0, budget });
  let made = 0;
  let goneCount = 0;
  const owner = { id: "s", pastCalls: () => pastCalls, nextRequestId: () => `r${++made}`, touch: () => {} };
  const bridge = new Bridge({ owner, socket, budget, count: () => {}, now: () => 0, onGone: () => void goneCount++ });
  const order: CallOrder = { sessionId: "s", callId: "c", tool: "t", args: {}, deadline: 1000, mayRepeat: false };
  const outcomes: CallOutcome[] = [];
  const call = (changes: Partial<CallOrder> = {}) =>
    bridge.receive(
      { ...order, ...changes },
      { accepted: () => {}, news: () => {}, settled: (outcome) => void outcomes.push(outcome) },
    );
  return { bridge, wire, outcomes, call, cut: () => end("cut"), goneCount: () => goneCount };
}

const turnEnd = () => new Promise(setImmediate);

test("calls of one turn of the event loop are written together, at its end", async () => {
  const { wire, call } = open();
  call();
  call().cancel("not needed");
  expect(wire).toEqual([]);
  await turnEnd();
  expect(wire).toEqual(["invoke_tool", "invoke_tool", "cancel_tool"]);
});

test("a bridge that is closed in the same turn as a call sends only the close frame", async () => {
  const { bridge, wire, outcomes, call } = open();
  call();
  bridge.evict();
  await turnEnd();
  expect(wire).toEqual([4409]);
  expect(outcomes).toMatchObject([{ kind: "refused", code: "unavailable" }]);
});

test("a bridge whose socket is closing takes no more calls, so that waiting calls are not sent to it", () => {
  const { bridge, outcomes, call, cut, goneCount } = open();
  call();
  cut();
  call();
  expect([goneCount(), outcomes]).toEqual([1, [{ kind: "nobody" }]]);
  bridge.gone();
  expect(goneCount()).toBe(1);
});

test.each([
  `{"type":"invoke_result","request_id":"r1","ok":true,"content":${"[".repeat(20_000)}${"]".repeat(20_000)}}`,
  `{"type":"invoke_result","request_id":"r1","ok":false,"error":${"[".repeat(20_000)}${"]".repeat(20_000)}}`,
])("a message that is nested too deep to be written closes the bridge, and throws nothing: %.60s", async (text) => {
  const { bridge, wire, outcomes, call } = open();
  call();
  await turnEnd();
  bridge.receiveMessage(text);
  expect([wire.at(-1), outcomes]).toEqual([4400, [{ kind: "lost" }]]);
});

describe("a call with a key", () => {
  const key = { callId: "k", mayRepeat: true };

  test("joins the running call, and gets its result afterwards", async () => {
    const { bridge, wire, outcomes, call } = open();
    call(key);
    call(key);
    await turnEnd();
    bridge.receiveMessage('{"type":"invoke_result","request_id":"r1","ok":true,"content":"done"}');
    call(key);
    expect(wire).toEqual(["invoke_tool"]);
    expect(outcomes.map(({ kind }) => kind)).toEqual(["done", "done", "done"]);
  });

  test("is refused if the key was used with other arguments, while that call runs and afterwards", async () => {
    const { bridge, wire, outcomes, call } = open();
    call(key);
    call({ ...key, args: { other: true } });
    await turnEnd();
    bridge.receiveMessage('{"type":"invoke_result","request_id":"r1","ok":true,"content":"done"}');
    call({ ...key, args: { other: true } });
    expect(wire).toEqual(["invoke_tool"]);
    expect(outcomes).toMatchObject([{ code: "conflict" }, { kind: "done" }, { code: "conflict" }]);
  });
});

test("a bridge whose messages exceed the memory limit is closed with 1013", async () => {
  const { bridge, wire } = open({ buffered: 1, maxHeld: 10 });
  bridge.beat();
  await turnEnd();
  expect(wire).toEqual(["ping", 1013]);
});

test("a call whose bridge is lost before the turn ends is never sent, and its caller may try again", async () => {
  const { bridge, wire, outcomes, call, cut } = open();
  call();
  cut();
  bridge.gone();
  await turnEnd();
  expect(wire).toEqual(["cut"]);
  expect(outcomes).toMatchObject([{ kind: "refused", code: "unavailable" }]);
});

test("a call that could not be written may be tried again, even if the loss of the bridge is reported later", async () => {
  const { bridge, outcomes, call, cut } = open();
  call();
  cut();
  await turnEnd();
  expect(outcomes).toEqual([]);
  bridge.gone();
  expect(outcomes).toMatchObject([{ kind: "refused", code: "unavailable" }]);
});

test("a call that was written has an unknown outcome, even before the socket has confirmed the write", async () => {
  const { bridge, outcomes, call, cut } = open();
  call();
  await turnEnd();
  cut();
  bridge.gone();
  expect(outcomes).toEqual([{ kind: "lost" }]);
  await turnEnd();
  expect(outcomes.length).toBe(1);
});
