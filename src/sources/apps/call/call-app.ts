import { randomBytes } from "node:crypto";
import type { CallContext } from "../../../catalog/call-context.ts";
import { Fault } from "../../../core/fault.ts";
import { type Abort, abortOf } from "../../../core/lazy-abort.ts";
import { cancelledBy, sleep } from "../../../core/wait.ts";
import type { ToolResult } from "../../../mcp/messages/tool.ts";
import { attemptCall, type CallRules } from "./attempt-call.ts";
import type { CallOrder } from "./call-bus.ts";

/** What a caller may add to its context: the same key means the same call, which is run once. */
export interface AppCallContext extends CallContext {
  readonly callId?: string | undefined;
}

/**
 * The caller's side of the protocol: sent again only while it is certain that the app has not seen it; from the moment
 * it is accepted the answer is a result, or the plain statement that nobody knows.
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
  const mayRepeat = context.callId !== undefined || !bus.isSure;
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
        const left = started + Math.min(rules.graceMs, timeoutMs) - now();
        if (left <= 0 || !(await bus.held(sessionId, left, context.signal))) {
          if (abort.aborted) throw notSent(abort);
          throw new Fault("unavailable", "Bridge is not connected");
        }
        // A holder may be on its way out: asking it again and again would leave it no time to go.
        await sleep(retryMs, context.signal).catch(() => {});
      }
    }
  }
}

const retryMs = 25;

/** Unlike that of any other process, and cheap: one is made for every call. */
const ownPrefix = randomBytes(9).toString("base64url");
let idsMade = 0;

function freshId(): string {
  return `${ownPrefix}-${++idsMade}`;
}

/** Whoever stops a call that waits does not know that the app has not seen it. */
function notSent(abort: Abort): Fault {
  const fault = cancelledBy(abort);
  if (fault.code !== "outcome-unknown") return fault;
  return new Fault("unavailable", "The call was given up before it was sent. The app has not seen it.");
}

function describeLoss(session: "deleted" | "expired" | undefined): string {
  if (session === undefined) return "The bridge was lost";
  return session === "deleted" ? "The session was deleted" : "The session expired";
}

function outcomeUnknown(what: string, callId: string, code: "outcome-unknown" | "timeout" = "outcome-unknown"): Fault {
  return new Fault(code, `${what}. Whether the tool ran is unknown: look before you call it again.`, {
    detail: { call_id: callId },
  });
}
