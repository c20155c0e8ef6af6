import { randomUUID } from "node:crypto";
import type { CallContext } from "../../catalog/tool-source.ts";
import { cancelledBy } from "../../core/cancelled.ts";
import { Fault } from "../../core/fault.ts";
import { messageOf } from "../../core/thrown.ts";
import type { ToolResult } from "../../mcp/tool.ts";
import type { Bus, CallHandle, CallListener, CallNews, CallOrder, CallOutcome } from "./bus.ts";
import type { CountEvent } from "./app-event.ts";

/** What a caller may add to its context: the same key means the same call, which is run once. */
export interface AppCallContext extends CallContext {
  readonly callId?: string | undefined;
}

export interface CallRules {
  readonly timeoutMs: number;
  /** How long a call waits for a bridge that is not there. */
  readonly graceMs: number;
}

export interface AppCall extends CallRules {
  readonly bus: Bus;
  readonly sessionId: string;
  readonly tool: string;
  readonly args: unknown;
  readonly context: AppCallContext;
  readonly now: () => number;
  readonly count: CountEvent;
}

/**
 * The caller's side of the protocol: sent again only while it is certain that the app has not seen it; from the moment
 * it is accepted the answer is a result, or the plain statement that nobody knows.
 */
export async function callApp(call: AppCall): Promise<ToolResult> {
  const { bus, sessionId, tool, args, context, timeoutMs, now } = call;
  const { signal } = context;
  const callId = context.callId ?? randomUUID();
  const started = now();
  const order: CallOrder = { sessionId, callId, tool, args, deadline: started + timeoutMs };
  for (;;) {
    if (signal.aborted) throw cancelledBy(signal);
    const outcome = await attempt(order, call);
    switch (outcome.kind) {
      case "done":
        return outcome.result;
      case "refused":
        throw new Fault(outcome.code, outcome.message);
      case "lost":
        throw unknown("The bridge was lost after the call was sent", callId);
      case "nobody": {
        const left = started + Math.min(call.graceMs, timeoutMs) - now();
        if (left > 0 && (await bus.held(sessionId, left, signal))) continue;
        if (signal.aborted) throw cancelledBy(signal);
        throw new Fault("unavailable", "Bridge is not connected");
      }
    }
  }
}

function attempt(order: CallOrder, { bus, context, now, count }: AppCall): Promise<CallOutcome> {
  const { signal } = context;
  return new Promise((resolve, reject) => {
    let handle: CallHandle | undefined;
    let settled = false;
    const end = (): boolean => {
      if (settled) return false;
      settled = true;
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
      return true;
    };
    const stop = (): void => {
      if (!end()) return;
      handle?.cancel("The caller cancelled the call.");
      reject(cancelledBy(signal));
    };
    const timer = setTimeout(
      () => {
        if (!end()) return;
        count("call timeout");
        handle?.cancel("The call took too long.");
        reject(unknown("The app did not answer in time", order.callId, "timeout"));
      },
      Math.max(0, order.deadline - now()),
    );
    signal.addEventListener("abort", stop, { once: true });
    const listener: CallListener = {
      accepted() {},
      news(news) {
        if (!settled) pass(news, context, () => handle);
      },
      settled(outcome) {
        if (end()) resolve(outcome);
      },
    };
    handle = bus.send(order, listener);
  });
}

function pass(news: CallNews, context: CallContext, handle: () => CallHandle | undefined): void {
  switch (news.kind) {
    case "progress":
      return context.progress(news.progress);
    case "log":
      return context.tell(news.line);
    case "question":
      context.ask(news.question).then(
        (answer) => handle()?.answer(news.askId, { answer }),
        (error: unknown) => handle()?.answer(news.askId, { error: messageOf(error) }),
      );
  }
}

function unknown(what: string, callId: string, code: "outcome-unknown" | "timeout" = "outcome-unknown"): Fault {
  return new Fault(code, `${what}. Whether the tool ran is unknown: look before you call it again.`, {
    detail: { call_id: callId },
  });
}
