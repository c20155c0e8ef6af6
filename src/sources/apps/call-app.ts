import { randomUUID } from "node:crypto";
import type { CallContext } from "../../catalog/tool-source.ts";
import { cancelledBy } from "../../core/cancelled.ts";
import { Fault } from "../../core/fault.ts";
import { messageOf } from "../../core/thrown.ts";
import type { ToolResult } from "../../mcp/tool.ts";
import type { Bus, CallHandle, CallNews, CallOrder, CallOutcome } from "./bus.ts";
import type { CountEvent } from "./app-event.ts";

/** What a caller may add to its context: the same key means the same call, which is run once. */
export interface AppCallContext extends CallContext {
  readonly callId?: string | undefined;
}

export interface CallRules {
  readonly timeoutMs: number;
  /** How long a call waits for a bridge that is not there. */
  readonly graceMs: number;
  /** A call that nobody has accepted by then is sent again. */
  readonly acceptMs: number;
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

/**
 * Sends the call, again whenever nobody has said for a while that it was accepted: whoever holds the bridge knows it by
 * its id and runs it once. From the first acceptance on it is sent no more.
 */
function attempt(order: CallOrder, { bus, context, acceptMs, now, count }: AppCall): Promise<CallOutcome> {
  const { signal } = context;
  return new Promise((resolve, reject) => {
    const handles: CallHandle[] = [];
    /** Which sending was accepted; the news of another would be the same news twice. */
    let accepted: number | undefined;
    let settled = false;
    let resend: NodeJS.Timeout | undefined;
    const timer = setTimeout(giveUp, Math.max(0, order.deadline - now()));
    signal.addEventListener("abort", stop, { once: true });
    send();

    function send(): void {
      const sending = handles.length;
      const handle = bus.send(order, {
        accepted() {
          accepted ??= sending;
          clearTimeout(resend);
        },
        news(news) {
          if (!settled && accepted === sending) pass(news, context, () => handles[sending]);
        },
        settled: (outcome) => take(outcome, sending),
      });
      handles.push(handle);
      if (settled || accepted !== undefined) return;
      resend = setTimeout(() => {
        count("call resent");
        send();
      }, acceptMs);
    }

    function take(outcome: CallOutcome, sending: number): void {
      const isOver = outcome.kind === "done" || outcome.kind === "lost";
      if (!isOver && accepted !== undefined && accepted !== sending) return;
      if (!end()) return;
      // An earlier sending that nobody answered may still arrive, so this refusal does not mean that the app saw nothing.
      resolve(isOver || sending === 0 ? outcome : lost);
    }

    function giveUp(): void {
      if (!end()) return;
      count("call timeout");
      for (const handle of handles) handle.cancel("The call took too long.");
      reject(unknown("The app did not answer in time", order.callId, "timeout"));
    }

    function stop(): void {
      if (!end()) return;
      for (const handle of handles) handle.cancel("The caller cancelled the call.");
      reject(cancelledBy(signal));
    }

    function end(): boolean {
      if (settled) return false;
      settled = true;
      clearTimeout(timer);
      clearTimeout(resend);
      signal.removeEventListener("abort", stop);
      return true;
    }
  });
}

const lost: CallOutcome = { kind: "lost" };

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
