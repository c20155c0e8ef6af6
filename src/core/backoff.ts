export interface Backoff {
  readonly firstMs: number;
  readonly maxMs: number;
  /** How much longer each wait is than the one before; 2 unless given. */
  readonly factor?: number;
  /** Which part of a wait is left to chance, from 0 (none, the default) to 1 (anything from nothing to the whole wait). */
  readonly jitter?: number;
  readonly random?: () => number;
}

/** Waits between attempts, growing up to `maxMs`, without end: whoever asks decides when to give up. */
export function* backoffDelays(backoff: Backoff): Generator<number, never, void> {
  const { firstMs, maxMs, factor = 2, jitter = 0, random = Math.random } = backoff;
  for (let wait = firstMs; ; wait = Math.min(wait * factor, maxMs)) {
    const whole = Math.min(wait, maxMs);
    yield Math.round(whole - whole * jitter * random());
  }
}
