import { Fault, isFault } from "./fault.ts";

/** The longest time in milliseconds that a timer can hold; a timer with a longer one fires at once. */
export const maxTimerMs = 2 ** 31 - 1;

/**
 * Runs `work` with a signal that aborts after `ms` or when `signal` does. Rejects at that moment even if the work ignores
 * its signal; a late result is dropped. A time longer than a timer can hold means no limit.
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
  const timer = ms <= maxTimerMs ? setTimeout(expire, ms) : undefined;
  try {
    return await orAborted(work(end.signal), end.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", follow);
  }
}

/** Waits. An abort rejects at once with the signal's fault. */
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

/** Waits for the work. An abort rejects at once with the signal's fault; the work itself goes on. */
export function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(cancelledBy(signal));
    // After an abort, too: work that fails then must not become an unhandled rejection.
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
}

/** Whether the work is done or has failed within the time. The work itself goes on. */
export async function settledWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, ms, false);
  });
  const isSettled = (): boolean => true;
  const inTime = await Promise.race([work.then(isSettled, isSettled), late]);
  clearTimeout(timer);
  return inTime;
}

/** Resolves when the signal aborts. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** Why a signal aborted, as a Fault: a Fault such as a deadline's `timeout` stays as it is, everything else is `cancelled`. */
export function cancelledBy(signal: Pick<AbortSignal, "reason">): Fault {
  if (isFault(signal.reason)) return signal.reason;
  return new Fault("cancelled", "Cancelled before it was done.", { cause: signal.reason });
}

export interface Backoff {
  readonly firstMs: number;
  readonly maxMs: number;
  /** How much longer each wait is than the one before; 2 by default. */
  readonly factor?: number;
  /** The part of each wait that is random, from 0 (none, the default) to 1 (anything from 0 to the whole wait). */
  readonly jitter?: number;
  readonly random?: () => number;
}

/** Waits between attempts, growing up to `maxMs`. They never end: the caller decides when to give up. */
export function* backoffDelays(backoff: Backoff): Generator<number, never, void> {
  const { firstMs, maxMs, factor = 2, jitter = 0, random = Math.random } = backoff;
  for (let wait = firstMs; ; wait = Math.min(wait * factor, maxMs)) {
    const whole = Math.min(wait, maxMs);
    yield Math.round(whole - whole * jitter * random());
  }
}
