import { Fault } from "../../../core/fault.ts";
import { httpRefusalIn } from "../../../mcp/client/client-transport.ts";
import { RpcFault } from "../../../mcp/messages/json-rpc.ts";
import type { ToolAnnotations } from "../../../mcp/messages/tool.ts";
import { isNewTokenRefused, isSignInNeeded } from "../oauth/connection-auth.ts";

/** What to do with a call that failed. */
export type RetryVerdict = "repeat" | "unknown" | "give-up";

/**
 * A call is repeated only if it provably did not run, or if running it twice does no harm. For any other call that may
 * have run the outcome is "unknown": whether to repeat it is the caller's decision.
 */
export function judgeRetry(error: unknown, annotations: ToolAnnotations | undefined): RetryVerdict {
  if (!(error instanceof Fault)) return "give-up";
  switch (error.code) {
    // The server received nothing, or said that it ran nothing.
    case "unavailable":
      // A status is an answer: a repetition gets the same one.
      return httpRefusalIn(error) ? "give-up" : "repeat";
    case "unknown-session":
      return "repeat";
    case "outcome-unknown":
      return isSafeToRepeat(annotations) ? "repeat" : "unknown";
    case "timeout":
    case "too-large":
      // A repetition would take as long, or be as large, again.
      return isSafeToRepeat(annotations) ? "give-up" : "unknown";
    default:
      return "give-up";
  }
}

function isSafeToRepeat(annotations: ToolAnnotations | undefined): boolean {
  return annotations?.readOnlyHint === true || annotations?.idempotentHint === true;
}

/** What a failed request says about the link it was sent on. */
export type LinkVerdict = "sound" | "doubtful" | "lost";

export function judgeLinkFailure(error: unknown): LinkVerdict {
  if (error instanceof RpcFault || !(error instanceof Fault)) return "sound";
  if (error.code === "unknown-session" || isSignInNeeded(error)) return "lost";
  // The server answered with a status, so it can be reached.
  const isRefused = httpRefusalIn(error) !== undefined;
  if (error.code === "unavailable") return isRefused ? "sound" : "lost";
  // One call without an answer says little about the next.
  if (error.code === "timeout" || isNewTokenRefused(error)) return "doubtful";
  return error.code === "outcome-unknown" && !isRefused ? "doubtful" : "sound";
}

/** How many attempts in a row a caller waits for before it gets the error. */
export const patientAttempts = 3;
/** A server that keeps failing is not contacted again for every call that comes in. */
const failureRestMs = 1000;
/** However long a server asks to be left alone, it is contacted again after this. */
const maxRestMs = 600_000;

/** How long to leave a server alone after a failed attempt to connect. */
export function restAfter(fault: Fault, attempt: number): number {
  const requestedMs = httpRefusalIn(fault)?.retryAfterMs ?? 0;
  return Math.max(attempt >= patientAttempts ? failureRestMs : 0, Math.min(requestedMs, maxRestMs));
}
