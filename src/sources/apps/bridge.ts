import { hash } from "node:crypto";
import type { CallHandle, CallListener, CallNews, CallOrder, CallOutcome, Holder } from "./bus.ts";
import type { CountEvent } from "./app-event.ts";
import { readAppMessage, type Result } from "./app-message.ts";
import type { BridgeSocket } from "./bridge-socket.ts";
import { createBridgeWriter } from "./bridge-writer.ts";
import type { CallMemory } from "./call-memory.ts";
import { busy, lost, nobody, otherCall, unsent } from "./call-outcomes.ts";
import { Chatter } from "./chatter.ts";
import { type CloseReason, closeCodes } from "./close-codes.ts";
import { judgeOrder, mostUnsent } from "./judge-order.ts";
import { type MemoryBudget, smallPiece } from "./memory-budget.ts";
import { toAnswer } from "./tool-answer.ts";

export interface BridgeOptions {
  readonly sessionId: string;
  readonly socket: BridgeSocket;
  /** Made when it is first needed. */
  memory(): CallMemory;
  readonly budget: MemoryBudget;
  readonly count: CountEvent;
  readonly now: () => number;
  /** Never the same twice in the life of a session. */
  nextRequestId(): string;
  /** The app has shown that it lives. */
  onAlive(): void;
  /** Called once, when nothing more goes over it. */
  onGone(): void;
}

/** One connection of an app: calls go out, results come in. */
export interface Bridge extends Holder {
  readonly inFlight: number;
  /** Takes a message of the app. */
  take(text: string): void;
  /** The socket answered a ping of its own, or a part of a large message came. */
  readonly pong: () => void;
  /** Once per interval: an app that gave no sign of life since the last one is given up. */
  beat(): void;
  close(reason: CloseReason, said?: string): void;
  /** The socket is closed: whatever was under way is settled with what is known. */
  gone(): void;
}

interface Running {
  readonly order: CallOrder;
  /** Of the arguments, where the call may come again. */
  readonly fingerprint: string | undefined;
  listeners: CallListener[];
  /** Counted in the budget for as long as it runs. */
  readonly bytes: number;
  /** Whether all of it may have reached the app: not known before it has been written, or couldn't be. */
  sent: boolean | undefined;
  /** Whether the bridge was lost before that was known. */
  orphaned: boolean;
}

export function openBridge(options: BridgeOptions): Bridge {
  const { sessionId, socket, budget, count, now } = options;
  const running = new Map<string, Running>();
  /** Of those that may come again. */
  let byCallId: Map<string, string> | undefined;
  const head = `{"type":"invoke_tool","mcpSessionId":${JSON.stringify(sessionId)},"request_id":`;
  const pingText = JSON.stringify({ type: "ping", mcpSessionId: sessionId });
  const pongText = JSON.stringify({ type: "pong", mcpSessionId: sessionId });
  const write = createBridgeWriter({ socket, budget, isOpen: () => open && socket.isOpen(), onOverload });
  let open = true;
  let alive = true;
  const chatter = new Chatter();

  return {
    get inFlight() {
      return running.size;
    },
    receive,
    evict() {
      count("bridge replaced");
      close("replaced");
    },
    take,
    pong: noteLife,
    beat() {
      if (!alive) {
        count("bridge dead");
        socket.terminate();
        return gone();
      }
      alive = false;
      chatter.beginBeat();
      if (!socket.isOpen()) return;
      if (socket.bufferedAmount > mostUnsent) {
        count("slow reader");
        socket.terminate();
        return gone();
      }
      socket.ping();
      tell(pingText);
    },
    close,
    gone,
  };

  function receive(order: CallOrder, listener: CallListener): CallHandle {
    // Its closing may take the app a while; nobody has to wait for that.
    if (!socket.isOpen()) gone();
    const args = JSON.stringify(order.args ?? {});
    if (!order.mayRepeat) return begin(order, args, undefined, listener);
    const fingerprint = hash("sha256", args);
    const requestId = byCallId?.get(order.callId);
    const under = requestId === undefined ? undefined : running.get(requestId);
    if (requestId !== undefined && under) {
      if (under.fingerprint !== fingerprint) return settleAtOnce(listener, otherCall);
      under.listeners.push(listener);
      listener.accepted();
      return handleOf(requestId, listener);
    }
    const memory = options.memory();
    const known = memory.recall(order.callId);
    if (known === undefined) {
      if (memory.hasRoom()) return begin(order, args, fingerprint, listener);
      return settleAtOnce(listener, busy("Too many calls with a key were made here of late. Try again in a minute."));
    }
    if (known.fingerprint !== fingerprint) return settleAtOnce(listener, otherCall);
    listener.accepted();
    return settleAtOnce(listener, known.outcome);
  }

  function begin(order: CallOrder, args: string, fingerprint: string | undefined, listener: CallListener): CallHandle {
    if (!open) return settleAtOnce(listener, nobody);
    const facts = { inFlight: running.size, unsent: socket.bufferedAmount, left: order.deadline - now() };
    const verdict = judgeOrder(facts);
    return verdict ? settleAtOnce(listener, verdict) : execute(order, args, fingerprint, listener);
  }

  function settleAtOnce(listener: CallListener, outcome: CallOutcome): CallHandle {
    if (outcome.kind === "refused") count("refused call");
    listener.settled(outcome);
    return settledHandle;
  }

  function execute(
    order: CallOrder,
    args: string,
    fingerprint: string | undefined,
    listener: CallListener,
  ): CallHandle {
    const tail = `,"tool_name":${JSON.stringify(order.tool)},"arguments":${args}}`;
    const bytes = tail.length > smallPiece ? tail.length : 0;
    if (!budget.take(bytes)) {
      count("refused for memory");
      return settleAtOnce(listener, busy("The proxy holds as much as it may already. Try again in a moment."));
    }
    const requestId = options.nextRequestId();
    const entry: Running = { order, fingerprint, listeners: [listener], bytes, sent: undefined, orphaned: false };
    running.set(requestId, entry);
    if (order.mayRepeat) (byCallId ??= new Map()).set(order.callId, requestId);
    listener.accepted();
    write(`${head}${JSON.stringify(requestId)}${tail}`, (error) => {
      entry.sent ||= !error;
      if (entry.orphaned) settleLost(entry);
    });
    return handleOf(requestId, listener);
  }

  function handleOf(requestId: string, listener: CallListener): CallHandle {
    return {
      cancel(reason) {
        const entry = running.get(requestId);
        if (!entry?.listeners.includes(listener)) return;
        entry.listeners = entry.listeners.filter((each) => each !== listener);
        if (entry.listeners.length > 0) return;
        tell(JSON.stringify({ type: "cancel_tool", mcpSessionId: sessionId, request_id: requestId, reason }));
        // It may come back with the same id, and what the app did is not known until it says so.
        remember(entry, lost, 0);
        finish(requestId, entry);
      },
      answer(askId, answer) {
        if (!running.has(requestId)) return;
        const ids = { mcpSessionId: sessionId, request_id: requestId, ask_id: askId };
        const ok = "answer" in answer;
        tell(JSON.stringify({ type: "ask_answer", ...ids, ok, ...answer }));
      },
    };
  }

  function take(text: string): void {
    if (!open) return;
    noteLife();
    try {
      understand(text);
    } catch (error) {
      // JSON is read at any depth, but written only as deep as the stack goes.
      if (!(error instanceof RangeError)) throw error;
      count("malformed message");
      close("malformed", "a message is nested too deep");
    }
  }

  function understand(text: string): void {
    const message = readAppMessage(text, sessionId);
    if (message.type === "result") return settle(message, text.length);
    if (chatter.note(text.length)) {
      count("flood");
      return close("flooding");
    }
    switch (message.type) {
      case "malformed":
        count("malformed message");
        return close("malformed", message.why);
      case "ignored":
        return count("ignored message");
      case "ping":
        return tell(pongText);
      case "pong":
        return;
      case "news":
        return passOn(message.requestId, message.news);
    }
  }

  function settle(message: Result, bytes: number): void {
    const entry = running.get(message.requestId);
    if (!entry) {
      chatter.note(0);
      return count("late result");
    }
    const outcome: CallOutcome = { kind: "done", result: toAnswer(message) };
    remember(entry, outcome, bytes);
    finish(message.requestId, entry);
    for (const listener of entry.listeners) listener.settled(outcome);
  }

  function passOn(requestId: string, news: CallNews): void {
    const entry = running.get(requestId);
    if (!entry) return count("late result");
    for (const listener of entry.listeners) {
      listener.news(news);
      // One caller answers; the others only wait for the result.
      if (news.kind === "question") return;
    }
  }

  function finish(requestId: string, entry: Running): void {
    running.delete(requestId);
    byCallId?.delete(entry.order.callId);
    budget.give(entry.bytes);
  }

  function noteLife(): void {
    alive = true;
    options.onAlive();
  }

  function tell(text: string): void {
    if (open && socket.isOpen()) write(text, () => {});
  }

  function onOverload(): void {
    count("refused for memory");
    close("overloaded");
  }

  function close(reason: CloseReason, said?: string): void {
    if (!open) return;
    const [code, text] = closeCodes[reason];
    // A goodbye goes behind what is half written: that would still reach the app after its call was given up.
    if (socket.bufferedAmount > 0 && [...running.values()].some(({ sent }) => !sent)) socket.terminate();
    else socket.close(code, said === undefined ? text : `${text}: ${said}`.slice(0, 120));
    gone();
  }

  function gone(): void {
    if (!open) return;
    open = false;
    for (const [requestId, entry] of running) {
      finish(requestId, entry);
      if (entry.sent === undefined) entry.orphaned = true;
      else settleLost(entry);
    }
    options.onGone();
  }

  function settleLost(entry: Running): void {
    const outcome = entry.sent ? lost : unsent;
    if (entry.sent) {
      count("outcome unknown");
      remember(entry, lost, 0);
    }
    for (const listener of entry.listeners) listener.settled(outcome);
  }

  function remember({ order, fingerprint }: Running, outcome: CallOutcome, bytes: number): void {
    if (fingerprint !== undefined) options.memory().remember(order.callId, { fingerprint, outcome, bytes });
  }
}

const settledHandle: CallHandle = { cancel() {}, answer() {} };
