import type { Answer, ClientLogLine, Progress, Question } from "../../../mcp/messages/interim-messages.ts";
import type { ToolResult } from "../../../mcp/messages/tool.ts";

/** One call on its way to an app. */
export interface CallOrder {
  readonly sessionId: string;
  /** The same in every attempt at the same call, so that whoever holds the bridge executes it once. */
  readonly callId: string;
  readonly tool: string;
  readonly args: unknown;
  /** When the caller stops waiting, in milliseconds since the epoch. */
  readonly deadline: number;
  /** Whether a call of this id may be sent more than once: only then does anybody have to remember it. */
  readonly mayRepeat: boolean;
}

/** What became of a call. */
export type CallOutcome =
  | { readonly kind: "done"; readonly result: ToolResult }
  /** Nobody holds the bridge: the app has not seen it. */
  | { readonly kind: "nobody" }
  /** The holder did not pass it on, or it never left: the app has not seen it, so it may be sent again. */
  | {
      readonly kind: "refused";
      readonly code: "busy" | "timeout" | "unavailable" | "conflict";
      readonly message: string;
    }
  /** It was passed on, and then the bridge was lost, alone or with its session. Nobody knows whether the app ran it. */
  | { readonly kind: "lost"; readonly session?: "deleted" | "expired" };

/** What an app says about a call while it runs. */
export type CallNews =
  | { readonly kind: "progress"; readonly progress: Progress }
  | { readonly kind: "log"; readonly line: ClientLogLine }
  | { readonly kind: "question"; readonly askId: string; readonly question: Question };

/** The caller's end. Nothing comes after `settled`. */
export interface CallListener {
  /** From here on the app may run it: the caller never sends it again. */
  accepted(): void;
  news(news: CallNews): void;
  settled(outcome: CallOutcome): void;
}

/** What the caller's person said, or why there is no answer. */
export type AskAnswer = { readonly answer: Answer } | { readonly error: string };

/** The caller's grip on a call under way. */
export interface CallHandle {
  /** Nobody waits any more; the app is told. What it still sends is dropped. */
  cancel(reason: string): void;
  answer(askId: string, answer: AskAnswer): void;
}

/** Whoever has the app's socket. */
export interface BridgeHolder {
  /** Accepts before it executes, and executes one `callId` once. */
  receive(order: CallOrder, listener: CallListener): CallHandle;
  /** Another holder has taken over: nothing more is sent here. */
  evict(): void;
}

/**
 * Carries calls from whoever serves a client to whoever holds the bridge of the app. There is one holder a session at
 * most; a new one takes over from the old.
 */
export interface CallBus extends AsyncDisposable {
  /** Whether what is sent here arrives, and is answered, for certain: nothing is ever sent twice then. */
  readonly isSure: boolean;
  /** Resolves when calls come here and nowhere else, to the way of letting go. */
  hold(sessionId: string, holder: BridgeHolder): Promise<() => void>;
  send(order: CallOrder, listener: CallListener): CallHandle;
  /** Whether there is a holder, now or within the time. */
  held(sessionId: string, withinMs: number, signal?: AbortSignal): Promise<boolean>;
}

/** The bus of one process. */
export function createLocalBus(): CallBus {
  const holders = new Map<string, BridgeHolder>();
  const waiting = new Map<string, Set<() => void>>();

  return {
    isSure: true,
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
    held(sessionId, withinMs, signal) {
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

/** The handle of a call that is over already. */
export const settledHandle: CallHandle = { cancel() {}, answer() {} };

export const lostOutcome: CallOutcome = { kind: "lost" };
export const noHolderOutcome: CallOutcome = { kind: "nobody" };

export const unsentOutcome: CallOutcome = {
  kind: "refused",
  code: "unavailable",
  message: "The bridge was lost before the call was sent. The app has not seen it; it is safe to try again.",
};

export const keyConflictOutcome: CallOutcome = {
  kind: "refused",
  code: "conflict",
  message: "This call key was used for a call with other arguments. Use a new key for a new call.",
};

export function busyOutcome(message: string): CallOutcome {
  return { kind: "refused", code: "busy", message };
}
