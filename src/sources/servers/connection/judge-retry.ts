import { Fault } from "../../../core/fault.ts";
import type { ToolAnnotations } from "../../../mcp/messages/tool.ts";

/** What to do with a call that failed on its way. */
export type RetryVerdict = "repeat" | "unknown" | "give-up";

/**
 * A call is repeated only when it provably did not run, or when running it twice does no harm. All else that may have
 * run is "unknown": the caller decides, not we.
 */
export function judgeRetry(error: unknown, annotations: ToolAnnotations | undefined): RetryVerdict {
  if (!(error instanceof Fault)) return "give-up";
  switch (error.code) {
    // Not a byte of it reached the server, or the server said that it took nothing.
    case "unavailable":
    case "unknown-session":
      return isRefusedByServer(error) ? "give-up" : "repeat";
    case "outcome-unknown":
      return isSafeToRepeat(annotations) ? "repeat" : "unknown";
    case "timeout":
    case "too-large":
      // A repetition would only wait as long again, or bring as much.
      return isSafeToRepeat(annotations) ? "give-up" : "unknown";
    default:
      return "give-up";
  }
}

/** A status other than "no such session" is an answer, and a repetition gets the same one. */
function isRefusedByServer(fault: Fault): boolean {
  const status = (fault.detail as { status?: number } | undefined)?.status;
  return status !== undefined && fault.code !== "unknown-session";
}

function isSafeToRepeat(annotations: ToolAnnotations | undefined): boolean {
  return annotations?.readOnlyHint === true || annotations?.idempotentHint === true;
}
