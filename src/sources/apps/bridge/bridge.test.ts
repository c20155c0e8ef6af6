import { describe, expect, test } from "vitest";
import type { CallOrder, CallOutcome } from "../call/call-bus.ts";
import { createIdempotencyCache } from "../call/idempotency-cache.ts";
import { createMemoryBudget } from "../memory-budget.ts";
import type { BridgeSocket } from "./bridge-socket.ts";
import { Bridge } from "./bridge.ts";

/** A bridge over a socket that notes everything, and takes what it is given at once. */
function open({ buffered = 0, mostHeld = 1_000_000 } = {}) {
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
  const budget = createMemoryBudget(mostHeld);
  const pastCalls = createIdempotencyCache({ now: () => 0, budget });
  let made = 0;
  let goings = 0;
  const owner = { id: "s", pastCalls: () => pastCalls, nextRequestId: () => `r${++made}`, touch: () => {} };
  const bridge = new Bridge({ owner, socket, budget, count: () => {}, now: () => 0, onGone: () => void goings++ });
  const order: CallOrder = { sessionId: "s", callId: "c", tool: "t", args: {}, deadline: 1000, mayRepeat: false };
  const outcomes: CallOutcome[] = [];
  const call = (changes: Partial<CallOrder> = {}) =>
    bridge.receive(
      { ...order, ...changes },
      { accepted: () => {}, news: () => {}, settled: (outcome) => void outcomes.push(outcome) },
    );
  return { bridge, wire, outcomes, call, cut: () => end("cut"), goings: () => goings };
}

const turnEnd = () => new Promise(setImmediate);

test("calls of one turn of the loop leave together, at its end", async () => {
  const { wire, call } = open();
  call();
  call().cancel("not needed");
  expect(wire).toEqual([]);
  await turnEnd();
  expect(wire).toEqual(["invoke_tool", "invoke_tool", "cancel_tool"]);
});

test("a bridge that is closed in the turn of a call never gets it: its goodbye is all that leaves", async () => {
  const { bridge, wire, outcomes, call } = open();
  call();
  bridge.evict();
  await turnEnd();
  expect(wire).toEqual([4409]);
  expect(outcomes).toMatchObject([{ kind: "refused", code: "unavailable" }]);
});

test("a bridge whose app is on its way out is nobody's any more: those who wait for one are not sent back to it", () => {
  const { bridge, outcomes, call, cut, goings } = open();
  call();
  cut();
  call();
  expect([goings(), outcomes]).toEqual([1, [{ kind: "nobody" }]]);
  bridge.gone();
  expect(goings()).toBe(1);
});

test.each([
  `{"type":"invoke_result","request_id":"r1","ok":true,"content":${"[".repeat(20_000)}${"]".repeat(20_000)}}`,
  `{"type":"invoke_result","request_id":"r1","ok":false,"error":${"[".repeat(20_000)}${"]".repeat(20_000)}}`,
])("a message that is nested deeper than it can be written ends the bridge, and nothing else: %.60s", async (text) => {
  const { bridge, wire, outcomes, call } = open();
  call();
  await turnEnd();
  bridge.take(text);
  expect([wire.at(-1), outcomes]).toEqual([4400, [{ kind: "lost" }]]);
});

describe("a call with a key", () => {
  const key = { callId: "k", mayRepeat: true };

  test("joins the one that runs, and has its result afterwards", async () => {
    const { bridge, wire, outcomes, call } = open();
    call(key);
    call(key);
    await turnEnd();
    bridge.take('{"type":"invoke_result","request_id":"r1","ok":true,"content":"done"}');
    call(key);
    expect(wire).toEqual(["invoke_tool"]);
    expect(outcomes.map(({ kind }) => kind)).toEqual(["done", "done", "done"]);
  });

  test("is refused where the key stands for other arguments, while that call runs and afterwards", async () => {
    const { bridge, wire, outcomes, call } = open();
    call(key);
    call({ ...key, args: { other: true } });
    await turnEnd();
    bridge.take('{"type":"invoke_result","request_id":"r1","ok":true,"content":"done"}');
    call({ ...key, args: { other: true } });
    expect(wire).toEqual(["invoke_tool"]);
    expect(outcomes).toMatchObject([{ code: "conflict" }, { kind: "done" }, { code: "conflict" }]);
  });
});

test("a bridge for whose messages there is no room is closed, and told to come back later", async () => {
  const { bridge, wire } = open({ buffered: 1, mostHeld: 10 });
  bridge.beat();
  await turnEnd();
  expect(wire).toEqual(["ping", 1013]);
});

test("a call whose bridge is lost before the turn ends never leaves, and its caller may try again", async () => {
  const { bridge, wire, outcomes, call, cut } = open();
  call();
  cut();
  bridge.gone();
  await turnEnd();
  expect(wire).toEqual(["cut"]);
  expect(outcomes).toMatchObject([{ kind: "refused", code: "unavailable" }]);
});

test("so does one that could not be written, whether or not the bridge is known to be lost by then", async () => {
  const { bridge, outcomes, call, cut } = open();
  call();
  cut();
  await turnEnd();
  expect(outcomes).toEqual([]);
  bridge.gone();
  expect(outcomes).toMatchObject([{ kind: "refused", code: "unavailable" }]);
});

test("a call that has left is not known to be undone, even where the socket has not said so yet", async () => {
  const { bridge, outcomes, call, cut } = open();
  call();
  await turnEnd();
  cut();
  bridge.gone();
  expect(outcomes).toEqual([{ kind: "lost" }]);
  await turnEnd();
  expect(outcomes.length).toBe(1);
});
