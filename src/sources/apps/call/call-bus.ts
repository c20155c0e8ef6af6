import type { Answer, ClientLogLine, Progress, Question } from "../../../mcp/messages/interim-messages.ts";
import type { ToolResult } from "../../../mcp/messages/tool.ts";

/** One call on its way to an app. */
export interface CallOrder {
  readonly sessionId: string;
  /** The same in every attempt at the same call, so that the holder of the bridge runs it once. */
  readonly callId: string;
  readonly tool: string;
  readonly args: unknown;
  /** When the caller stops waiting, in milliseconds since the epoch. */
  readonly deadline: number;
  /** Whether a call with this id may be sent more than once. Only then does its outcome have to be kept. */
  readonly mayRepeat: boolean;
}

/** How a call ended. */
export type CallOutcome =
  | { readonly kind: "done"; readonly result: ToolResult }
  /** No bridge is connected: the app has not seen the call. */
  | { readonly kind: "nobody" }
  /** The holder refused the call, or it was never written: the app has not seen it, so it may be sent again. */
  | {
      readonly kind: "refused";
      readonly code: "busy" | "timeout" | "unavailable" | "conflict";
      readonly message: string;
    }
  /** The holder left this sending out, and never runs it: the caller sends the call again. */
  | { readonly kind: "skipped" }
  /** The call was sent, then the bridge was lost, alone or with its session. It is unknown whether the app ran it. */
  | { readonly kind: "lost"; readonly session?: "deleted" | "expired" };

/** What an app reports about a call while it runs. */
export type CallNews =
  | { readonly kind: "progress"; readonly progress: Progress }
  | { readonly kind: "log"; readonly line: ClientLogLine }
  | { readonly kind: "question"; readonly askId: string; readonly question: Question };

/** The caller's side of a call. `settled` is the last method to be called. */
export interface CallListener {
  /** From here on the app may run the call: the caller never sends it again. */
  accepted(): void;
  news(news: CallNews): void;
  settled(outcome: CallOutcome): void;
}

/** The answer of the user behind the caller, or why there is none. */
export type AskAnswer = { readonly answer: Answer } | { readonly error: string };

/** The caller's control over a running call. */
export interface CallHandle {
  /** The caller no longer waits. The app gets a cancel message; what it still sends is dropped. */
  cancel(reason: string): void;
  answer(askId: string, answer: AskAnswer): void;
}

/** The end that has the app's socket. */
export interface BridgeHolder {
  /** Accepts a call before it runs it, and runs each `callId` once. */
  receive(order: CallOrder, listener: CallListener): CallHandle;
  /** Another holder has taken over: this one gets no more calls. */
  evict(): void;
}

/**
 * Carries calls from the endpoint that serves a client to the holder of the app's bridge. A session has at most one
 * holder; a new one takes over from the old one.
 */
export interface CallBus extends AsyncDisposable {
  /** Whether every call arrives and is answered for certain. If so, no call is ever sent twice. */
  readonly isReliable: boolean;
  /** Resolves once all calls of the session go to this holder, to a function that releases the session. */
  hold(sessionId: string, holder: BridgeHolder): Promise<() => void>;
  send(order: CallOrder, listener: CallListener): CallHandle;
  /** A holder is about to come, here: calls wait for it within this time. */
  expectHolder(sessionId: string, withinMs: number): Promise<void>;
  /** The holder is about to leave, and another one is expected to take over within this time. */
  expectMove(sessionId: string, withinMs: number): Promise<void>;
  /** How long it is still worth waiting for a holder that was to take over; 0 if none is expected. */
  moveExpected(sessionId: string): Promise<number>;
  /** Resolves to true as soon as there is a holder, to false if none comes within the time. */
  waitForHolder(sessionId: string, withinMs: number, signal?: AbortSignal): Promise<boolean>;
}

/** The bus of one process. */
export function createLocalBus(): CallBus {
  const holders = new Map<string, BridgeHolder>();
  const waiting = new Map<string, Set<() => void>>();

  return {
    isReliable: true,
    hold(sessionId, holder) {
      holders.get(sessionId)?.evict();
      holders.set(sessionId, holder);
      for (const resume of waiting.get(sessionId) ?? []) resume();
      return Promise.resolve(() => {
        if (holders.get(sessionId) === holder) holders.delete(sessionId);
      });
    },
    send(order, listener) {
      const holder = holders.get(order.sessionId);
      if (holder) return holder.receive(order, listener);
      listener.settled(noHolderOutcome);
      return settledHandle;
    },
    // Within one process a holder is there at once, and nothing is to take over.
    expectHolder: async () => {},
    expectMove: async () => {},
    moveExpected: async () => 0,
    waitForHolder(sessionId, withinMs, signal) {
      if (holders.has(sessionId)) return Promise.resolve(true);
      if (withinMs <= 0 || signal?.aborted) return Promise.resolve(false);
      return new Promise((resolve) => {
        const all = waiting.get(sessionId) ?? new Set();
        waiting.set(sessionId, all);
        const done = () => {
          clearTimeout(timer);
          signal?.removeEventListener("abort", done);
          all.delete(done);
          if (all.size === 0) waiting.delete(sessionId);
          resolve(holders.has(sessionId));
        };
        const timer = setTimeout(done, withinMs);
        signal?.addEventListener("abort", done, { once: true });
        all.add(done);
      });
    },
    [Symbol.asyncDispose]() {
      for (const holder of holders.values()) holder.evict();
      holders.clear();
      for (const all of waiting.values()) for (const resume of all) resume();
      return Promise.resolve();
    },
  };
}

/** The handle of a call that has already ended. */
export const settledHandle: CallHandle = { cancel() {}, answer() {} };

export const lostOutcome = { kind: "lost" } as const satisfies CallOutcome;
export const noHolderOutcome: CallOutcome = { kind: "nobody" };
export const skippedOutcome: CallOutcome = { kind: "skipped" };

export const unsentOutcome: CallOutcome = {
  kind: "refused",
  code: "unavailable",
  message: "The bridge was lost before the call was sent. The app has not seen it; it is safe to try again.",
};

export const keyConflictOutcome: CallOutcome = {
  kind: "refused",
  code: "conflict",
  message: "This call key was already used with other arguments. Use a new key for a new call.",
};

export function busyOutcome(message: string): CallOutcome {
  return { kind: "refused", code: "busy", message };
}
