import type { CallOutcome } from "./bus.ts";
import { busy } from "./call-outcomes.ts";

/** Calls that an app runs at the same time. */
const mostInFlight = 64;
/** Bytes that may wait for a slow app before calls are refused; at the next beat of the heart it is cut off. */
export const mostUnsent = 8 * 1024 * 1024;

export interface OrderFacts {
  readonly inFlight: number;
  /** Bytes that wait for the app already. */
  readonly unsent: number;
  /** Milliseconds that the caller still waits. */
  readonly left: number;
}

/** Why a call can't be passed on, if so: all of these come before it is accepted. */
export function judgeOrder({ inFlight, unsent, left }: OrderFacts): CallOutcome | undefined {
  if (inFlight >= mostInFlight) {
    return busy(`The app has ${inFlight} calls to do already. Try again when one is done.`);
  }
  if (unsent > mostUnsent) return busy("The app reads too slowly. Try again in a moment.");
  if (left <= 0) return { kind: "refused", code: "timeout", message: "There was no time left for the call." };
  return undefined;
}
