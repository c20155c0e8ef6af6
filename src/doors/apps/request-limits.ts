/** Lets so many pass in a second, and twice as many at once. A class, not a closure: there is one for every session. */
export class RateLimiter {
  readonly #perSecond: number;
  readonly #now: () => number;
  #tokens: number;
  #at: number;

  constructor(perSecond: number, now: () => number) {
    this.#perSecond = perSecond;
    this.#now = now;
    this.#tokens = perSecond * 2;
    this.#at = now();
  }

  /** Whether one more may pass. */
  take(): boolean {
    const time = this.#now();
    // A clock that went back fills nothing.
    const gained = (Math.max(0, time - this.#at) * this.#perSecond) / 1000;
    const tokens = Math.min(this.#perSecond * 2, this.#tokens + gained);
    this.#at = time;
    this.#tokens = tokens < 1 ? tokens : tokens - 1;
    return tokens >= 1;
  }
}
