import { expect, test } from "vitest";
import { openBridge } from "./bridge.ts";
import type { BridgeSocket } from "./bridge-socket.ts";
import type { CallOrder, CallOutcome } from "./bus.ts";
import { createCallMemory } from "./call-memory.ts";
import { createMemoryBudget } from "./memory-budget.ts";

/** A bridge over a socket that notes everything, and takes what it is given at once. */
function open() {
  const wire: unknown[] = [];
  let isOpen = true;
  const end = (how: unknown) => {
    isOpen = false;
    wire.push(how);
  };
  const socket: BridgeSocket = {
    isOpen: () => isOpen,
    bufferedAmount: 0,
    send(text, written) {
      wire.push((JSON.parse(text) as { type: string }).type);
      setImmediate(written);
    },
    ping: () => {},
    close: end,
    terminate: () => end("terminated"),
  };
  const budget = createMemoryBudget(1_000_000);
  let made = 0;
  const bridge = openBridge({
    sessionId: "s",
    socket,
    memory: () => createCallMemory({ now: () => 0, budget }),
    budget,
    count: () => {},
    now: () => 0,
    nextRequestId: () => `r${++made}`,
    onAlive: () => {},
    onGone: () => {},
  });
  const order: CallOrder = { sessionId: "s", callId: "c", tool: "t", args: {}, deadline: 1000, mayRepeat: false };
  const outcomes: CallOutcome[] = [];
  const call = () =>
    bridge.receive(order, { accepted: () => {}, news: () => {}, settled: (outcome) => void outcomes.push(outcome) });
  return { bridge, wire, outcomes, call, cut: () => end("cut") };
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

test("a bridge that is closed in the turn of a call still gets the call before its goodbye, so nobody knows", async () => {
  const { bridge, wire, outcomes, call } = open();
  call();
  bridge.evict();
  expect(wire).toEqual(["invoke_tool", 4409]);
  expect(outcomes).toEqual([{ kind: "lost" }]);
  await turnEnd();
  expect([wire.length, outcomes.length]).toEqual([2, 1]);
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
