/** The numbers of requests that were used already, so that none is taken twice. */
export interface SeenCounters {
  /** True the first time. Requests that overtake each other are taken, unless they are more than 1,024 apart. */
  take(counter: number): boolean;
}

const maxBehind = 1024;

export function createSeenCounters(): SeenCounters {
  let highest = 0;
  /** Below the highest, not seen yet, the lowest first. */
  const missing = new Set<number>();
  return {
    take(counter) {
      if (counter <= highest) return missing.delete(counter);
      for (let between = Math.max(highest, counter - maxBehind - 1) + 1; between < counter; between++)
        missing.add(between);
      highest = counter;
      for (const old of missing) {
        if (old >= highest - maxBehind) break;
        missing.delete(old);
      }
      return true;
    },
  };
}
