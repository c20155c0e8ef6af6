import { cancelledBy } from "./cancelled.ts";

/** Waits; an abort ends the wait at once with the signal's fault. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(cancelledBy(signal));
    const stop = (): void => {
      clearTimeout(timer);
      reject(cancelledBy(signal!));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}
