import { Fault } from "../../core/fault.ts";

/**
 * The outcome of the work, or a fault when the person wants to stop. Servers of ours run in process groups of their own,
 * which Ctrl-C does not reach: somebody has to close them.
 */
export function orStopped<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(new Fault("cancelled", "Stopped before it was done."));
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}
