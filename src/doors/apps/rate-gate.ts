import { type Bucket, refill, waitFor } from "../../catalog/guard/token-bucket.ts";

/** Lets so many pass in a second, and twice as many at once. */
export interface RateGate {
  /** Milliseconds to wait; nought when it may pass. */
  take(): number;
}

export function createRateGate(perSecond: number, now: () => number): RateGate {
  const shape = { size: perSecond * 2, perMs: perSecond / 1000 };
  let bucket: Bucket = { tokens: shape.size, at: now() };
  return {
    take() {
      bucket = refill(bucket, shape, now());
      const wait = waitFor(bucket, shape);
      if (wait === 0) bucket = { ...bucket, tokens: bucket.tokens - 1 };
      return wait;
    },
  };
}
