import { cancelledBy } from "./cancelled.ts";
import { Fault } from "./fault.ts";

/** The longest wait, in milliseconds, that a timer of the platform can hold: it takes anything beyond for no time at all. */
export const longestTimer = 2 ** 31 - 1;

/**
 * Runs `work` with a signal that ends after `ms` or when `signal` does. The answer comes at that moment even when the work
 * pays no heed to its signal; its late result is dropped. A time longer than a timer can hold is none.
 */
export async function withDeadline<T>(
  ms: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (signal?.aborted) throw cancelledBy(signal);
  const end = new AbortController();
  const follow = (): void => end.abort(cancelledBy(signal!));
  signal?.addEventListener("abort", follow, { once: true });
  const expire = (): void => end.abort(new Fault("timeout", `No answer within ${ms} ms.`, { detail: { ms } }));
  const timer = ms <= longestTimer ? setTimeout(expire, ms) : undefined;
  try {
    return await Promise.race([work(end.signal), rejectOnAbort(end.signal)]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", follow);
  }
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(cancelledBy(signal)), { once: true });
  });
}
