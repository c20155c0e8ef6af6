import type { CallHandle, CallListener, CallOrder, CallOutcome, Holder } from "./bus.ts";
import type { CountEvent } from "./app-event.ts";
import { type AppMessage, readAppMessage } from "./app-message.ts";
import type { CallMemory } from "./call-memory.ts";
import { type CloseReason, closeCodes } from "./close-codes.ts";
import { failedWithoutWords, toToolError, toToolResult } from "./tool-answer.ts";

/** The WebSocket of an app, as far as a bridge needs it. */
export interface BridgeSocket {
  isOpen(): boolean;
  /** Bytes that wait to be written. */
  readonly bufferedAmount: number;
  /** `written` comes without an error once every byte is with the system. */
  send(text: string, written: (error?: Error | null) => void): void;
  ping(): void;
  close(code: number, reason: string): void;
  terminate(): void;
}

export interface BridgeLimits {
  /** Calls that run at the same time. */
  readonly mostInFlight: number;
  /** Bytes that may wait for a slow app before calls are refused. */
  readonly mostUnsent: number;
  /** Messages beside results that an app may send in one beat of the heart. */
  readonly mostChatter: number;
}

export const defaultBridgeLimits: BridgeLimits = {
  mostInFlight: 64,
  mostUnsent: 8 * 1024 * 1024,
  mostChatter: 10_000,
};

export interface BridgeOptions {
  readonly sessionId: string;
  readonly socket: BridgeSocket;
  readonly memory: CallMemory;
  readonly limits: BridgeLimits;
  readonly count: CountEvent;
  readonly now: () => number;
  /** Never the same twice in the life of a session. */
  nextRequestId(): string;
  /** The app has shown that it lives. */
  onAlive(): void;
}

/** One connection of an app: calls go out, results come in. */
export interface Bridge extends Holder {
  readonly inFlight: number;
  /** Takes a message of the app. */
  take(text: string): void;
  /** The socket answered a ping of its own. */
  pong(): void;
  /** Once per interval: an app that gave no sign of life since the last one is given up. */
  beat(): void;
  close(reason: CloseReason): void;
  /** The socket is closed: whatever was under way is settled with what is known. */
  gone(): void;
}

interface Running {
  readonly order: CallOrder;
  readonly listeners: Set<CallListener>;
  /** Whether all of it may have reached the app. */
  sent: boolean;
}

const lost: CallOutcome = { kind: "lost" };
const nobody: CallOutcome = { kind: "nobody" };
const unsent: CallOutcome = {
  kind: "refused",
  code: "unavailable",
  message: "The bridge was lost before the call was sent. The app has not seen it; it is safe to try again.",
};

export function openBridge(options: BridgeOptions): Bridge {
  const { sessionId, socket, memory, limits, count, now } = options;
  const running = new Map<string, Running>();
  const byCallId = new Map<string, string>();
  const head = `{"type":"invoke_tool","mcpSessionId":${JSON.stringify(sessionId)},"request_id":`;
  const pingText = JSON.stringify({ type: "ping", mcpSessionId: sessionId });
  const pongText = JSON.stringify({ type: "pong", mcpSessionId: sessionId });
  let open = true;
  let alive = true;
  let chatter = 0;

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
      chatter = 0;
      if (!socket.isOpen()) return;
      socket.ping();
      tell(pingText);
    },
    close,
    gone,
  };

  function receive(order: CallOrder, listener: CallListener): CallHandle {
    const requestId = byCallId.get(order.callId);
    const under = requestId === undefined ? undefined : running.get(requestId);
    if (requestId !== undefined && under) {
      under.listeners.add(listener);
      listener.accepted();
      return handleOf(requestId, listener);
    }
    const known = memory.recall(order.callId);
    const verdict = known ?? judge(order);
    if (verdict) {
      if (known) listener.accepted();
      listener.settled(verdict);
      return settledHandle;
    }
    return execute(order, listener);
  }

  /** Why a call can't be passed on, if so: all of these come before it is accepted. */
  function judge({ deadline }: CallOrder): CallOutcome | undefined {
    if (!open || !socket.isOpen()) return nobody;
    if (running.size >= limits.mostInFlight) {
      return busy(`The app has ${running.size} calls to do already. Try again when one is done.`);
    }
    if (socket.bufferedAmount > limits.mostUnsent) return busy("The app reads too slowly. Try again in a moment.");
    if (deadline <= now()) return { kind: "refused", code: "timeout", message: "There was no time left for the call." };
    return undefined;
  }

  function execute(order: CallOrder, listener: CallListener): CallHandle {
    const requestId = options.nextRequestId();
    const entry: Running = { order, listeners: new Set([listener]), sent: false };
    const { tool, args } = order;
    const tail = `,"tool_name":${JSON.stringify(tool)},"arguments":${JSON.stringify(args ?? {})}}`;
    running.set(requestId, entry);
    byCallId.set(order.callId, requestId);
    listener.accepted();
    socket.send(`${head}${JSON.stringify(requestId)}${tail}`, (error) => {
      if (!error) entry.sent = true;
    });
    // Written in one go: it may be with the app before the callback is.
    if (socket.bufferedAmount === 0) entry.sent = true;
    return handleOf(requestId, listener);
  }

  function handleOf(requestId: string, listener: CallListener): CallHandle {
    return {
      cancel(reason) {
        const entry = running.get(requestId);
        if (!entry?.listeners.delete(listener) || entry.listeners.size > 0) return;
        tell(JSON.stringify({ type: "cancel_tool", mcpSessionId: sessionId, request_id: requestId, reason }));
        // It may come back with the same id, and what the app did is not known until it says so.
        memory.remember(entry.order.callId, lost, 0);
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
    const message = readAppMessage(text, sessionId);
    if (message.type === "invoke_result") return settle(message, text.length);
    if (++chatter > limits.mostChatter) {
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
      default:
        return passOn(message);
    }
  }

  function settle(message: AppMessage & { type: "invoke_result" }, bytes: number): void {
    const entry = running.get(message.requestId);
    if (!entry) {
      chatter++;
      return count("late result");
    }
    const { ok, content, error } = message;
    const nothingSaid = !ok && (error ?? content ?? undefined) === undefined;
    const result = ok ? toToolResult(content) : nothingSaid ? failedWithoutWords : toToolError(error, content);
    const outcome: CallOutcome = { kind: "done", result };
    memory.remember(entry.order.callId, outcome, bytes);
    finish(message.requestId, entry);
    for (const listener of entry.listeners) listener.settled(outcome);
  }

  function passOn(message: AppMessage & { requestId: string }): void {
    const entry = running.get(message.requestId);
    if (!entry) return count("late result");
    for (const listener of entry.listeners) {
      if (message.type === "invoke_progress") {
        const { progress, total, message: text } = message;
        const more = { ...(total === undefined ? {} : { total }), ...(text === undefined ? {} : { message: text }) };
        listener.news({ kind: "progress", progress: { progress, ...more } });
      } else if (message.type === "invoke_log") {
        const { level, logger, data } = message;
        listener.news({ kind: "log", line: { level, data, ...(logger === undefined ? {} : { logger }) } });
      } else if (message.type === "invoke_ask") {
        const question = { method: "elicitation/create", params: message.params } as const;
        listener.news({ kind: "question", askId: message.askId, question });
        // One caller answers; the others only wait for the result.
        return;
      }
    }
  }

  function finish(requestId: string, entry: Running): void {
    running.delete(requestId);
    byCallId.delete(entry.order.callId);
  }

  function noteLife(): void {
    alive = true;
    options.onAlive();
  }

  function tell(text: string): void {
    if (open && socket.isOpen()) socket.send(text, () => {});
  }

  function close(reason: CloseReason, said?: string): void {
    const [code, text] = closeCodes[reason];
    if (open) socket.close(code, said === undefined ? text : `${text}: ${said}`.slice(0, 120));
    gone();
  }

  function gone(): void {
    if (!open) return;
    open = false;
    for (const [requestId, entry] of running) {
      finish(requestId, entry);
      const outcome = entry.sent ? lost : unsent;
      if (entry.sent) {
        count("outcome unknown");
        memory.remember(entry.order.callId, lost, 0);
      }
      for (const listener of entry.listeners) listener.settled(outcome);
    }
  }
}

const settledHandle: CallHandle = { cancel() {}, answer() {} };

function busy(message: string): CallOutcome {
  return { kind: "refused", code: "busy", message };
}
