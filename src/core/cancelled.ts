import { Fault, isFault } from "./fault.ts";

/** Why a signal stopped the work, as a Fault: a deadline's `timeout` stays what it is, everything else is `cancelled`. */
export function cancelledBy(signal: Pick<AbortSignal, "reason">): Fault {
  if (isFault(signal.reason)) return signal.reason;
  return new Fault("cancelled", "Cancelled before it was done.", { cause: signal.reason });
}
