/** Lets so many pass in a second, and twice as many at once. */
export interface RateGate {
  /** Whether one more may pass. */
  take(): boolean;
}

export function createRateGate(perSecond: number, now: () => number): RateGate {
  const most = perSecond * 2;
  let tokens = most;
  let at = now();
  return {
    take() {
      const time = now();
      // A clock that went back fills nothing.
      tokens = Math.min(most, tokens + (Math.max(0, time - at) * perSecond) / 1000);
      at = time;
      if (tokens < 1) return false;
      tokens--;
      return true;
    },
  };
}
