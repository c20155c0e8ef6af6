import { randomBytes } from "node:crypto";
import type { CallContext } from "../../../catalog/call-context.ts";
import { Fault } from "../../../core/fault.ts";
import { type Abort, abortOf } from "../../../core/lazy-abort.ts";
import { cancelledBy, sleep } from "../../../core/wait.ts";
import type { ToolResult } from "../../../mcp/messages/tool.ts";
import { attemptCall, type CallRules } from "./attempt-call.ts";
import type { CallOrder } from "./call-bus.ts";

/** A caller may name its call: calls with the same id are one call, which is run once. */
export interface AppCallContext extends CallContext {
  readonly callId?: string | undefined;
}

/**
 * Calls a tool of an app. Sends the call again only while it is certain that the app has not seen it. Once it was
 * accepted, the caller gets the result, or an error that says that the outcome is unknown.
 */
export async function callApp(
  rules: CallRules,
  sessionId: string,
  tool: string,
  args: unknown,
  context: AppCallContext,
): Promise<ToolResult> {
  const { bus, timeoutMs, now } = rules;
  const { callId = freshId() } = context;
  const abort = abortOf(context);
  const started = now();
  const mayRepeat = context.callId !== undefined || !bus.isReliable;
  const order: CallOrder = { sessionId, callId, tool, args, deadline: started + timeoutMs, mayRepeat };
  for (;;) {
    if (abort.aborted) throw notSent(abort);
    const outcome = await attemptCall(order, rules, context);
    switch (outcome.kind) {
      case "done":
        return outcome.result;
      case "refused":
        throw new Fault(outcome.code, outcome.message);
      case "lost":
        throw outcomeUnknown(`${describeLoss(outcome.session)} after the call was sent`, callId);
      case "late":
        throw outcomeUnknown("The app did not answer in time", callId, "timeout");
      case "nobody": {
        const graceMs = Math.max(rules.graceMs, now() - started + (await bus.moveExpected(sessionId)));
        const left = started + Math.min(graceMs, timeoutMs) - now();
        if (left <= 0 || !(await bus.waitForHolder(sessionId, left, context.signal))) {
          if (abort.aborted) throw notSent(abort);
          throw new Fault("unavailable", "Bridge is not connected");
        }
        // The holder may be closing. Without a pause, retries would leave it no time to do so.
        await sleep(retryMs, context.signal).catch(() => {});
      }
    }
  }
}

const retryMs = 25;

/** Unique across processes, and cheap: every call gets an id. */
const ownPrefix = randomBytes(9).toString("base64url");
let idsMade = 0;

function freshId(): string {
  return `${ownPrefix}-${++idsMade}`;
}

/** The reason for the abort may say that the outcome is unknown; of a call that was never sent it is known. */
function notSent(abort: Abort): Fault {
  const fault = cancelledBy(abort);
  if (fault.code !== "outcome-unknown") return fault;
  return new Fault("unavailable", "The call was cancelled before it was sent. The app has not seen it.");
}

function describeLoss(session: "deleted" | "expired" | undefined): string {
  if (session === undefined) return "The bridge was lost";
  return session === "deleted" ? "The session was deleted" : "The session expired";
}

function outcomeUnknown(what: string, callId: string, code: "outcome-unknown" | "timeout" = "outcome-unknown"): Fault {
  return new Fault(code, `${what}. Whether the tool ran is unknown: check before you call it again.`, {
    detail: { call_id: callId },
  });
}
