/** A bucket that holds up to `size` tokens and fills at `perMs`. Pure: the time comes in, the next state goes out. */
export interface TokenBucket {
  readonly tokens: number;
  readonly at: number;
}

export interface BucketShape {
  readonly size: number;
  readonly perMs: number;
}

/** The bucket as it is now. A clock that went back fills nothing. */
export function refillBucket({ tokens, at }: TokenBucket, { size, perMs }: BucketShape, now: number): TokenBucket {
  return { tokens: Math.min(size, tokens + Math.max(0, now - at) * perMs), at: now };
}

/** Whole milliseconds until there is a token: nought when there is one, give or take what adding fractions loses. */
export function msUntilToken({ tokens }: TokenBucket, { perMs }: BucketShape): number {
  return tokens >= 1 - 1e-9 ? 0 : Math.max(1, Math.round((1 - tokens) / perMs));
}
