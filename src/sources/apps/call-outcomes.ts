import type { CallOutcome } from "./bus.ts";
import type { CloseReason } from "./close-codes.ts";

export const lost: CallOutcome = { kind: "lost" };
export const nobody: CallOutcome = { kind: "nobody" };

export const unsent: CallOutcome = {
  kind: "refused",
  code: "unavailable",
  message: "The bridge was lost before the call was sent. The app has not seen it; it is safe to try again.",
};

export const otherCall: CallOutcome = {
  kind: "refused",
  code: "conflict",
  message: "This call key was used for a call with other arguments. Use a new key for a new call.",
};

/** What became of the calls that were under way when the bridge was closed for this reason, or broke. */
export function lostWith(reason: CloseReason | undefined): CallOutcome {
  return reason === "deleted" || reason === "expired" ? { kind: "lost", session: reason } : lost;
}

export function busy(message: string): CallOutcome {
  return { kind: "refused", code: "busy", message };
}
