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

/** Whole milliseconds until there is a token. 0 if there is one, allowing for what adding fractions loses. */
export function msUntilToken({ tokens }: TokenBucket, { perMs }: BucketShape): number {
  return tokens >= 1 - 1e-9 ? 0 : Math.max(1, Math.round((1 - tokens) / perMs));
}

/** Counts what limiters of the same name let through in other processes, too. */
export interface SharedUsage {
  /** Returns a function that leaves again. */
  join(name: string, limiter: RateLimiter): () => void;
}

/** Lets through so many a second, and twice as many at once. A class, not a closure: every session has one. */
export class RateLimiter {
  readonly #shape: BucketShape;
  readonly #now: () => number;
  #bucket: TokenBucket;
  #taken = 0;

  constructor(perSecond: number, now: () => number) {
    this.#shape = { size: perSecond * 2, perMs: perSecond / 1000 };
    this.#now = now;
    this.#bucket = { tokens: this.#shape.size, at: now() };
  }

  /** Whether one more may pass. */
  take(): boolean {
    this.#bucket = refillBucket(this.#bucket, this.#shape, this.#now());
    if (msUntilToken(this.#bucket, this.#shape) > 0) return false;
    this.#bucket = { ...this.#bucket, tokens: this.#bucket.tokens - 1 };
    this.#taken++;
    return true;
  }

  /** How many have passed since the last question. */
  countTaken(): number {
    const taken = this.#taken;
    this.#taken = 0;
    return taken;
  }

  /** So many have passed elsewhere. What was too much there is paid back here, up to one full bucket. */
  noteElsewhere(count: number): void {
    const { tokens, at } = refillBucket(this.#bucket, this.#shape, this.#now());
    this.#bucket = { tokens: Math.max(-this.#shape.size, tokens - count), at };
  }
}
