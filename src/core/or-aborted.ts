import { cancelledBy } from "./cancelled.ts";

/** Waits for work that goes on without us; an abort ends the wait at once with the signal's fault. */
export function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(cancelledBy(signal));
    // Also where nobody waits any more: work that fails then must have somebody who hears of it.
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
}
