import type { CallOutcome } from "./bus.ts";

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

export function busy(message: string): CallOutcome {
  return { kind: "refused", code: "busy", message };
}
