/** Random choices that are the same for the same seed, so that a failure can be reproduced. */
export interface Random {
  /** An integer from 0 to `below` - 1. */
  int(below: number): number;
  chance(probability: number): boolean;
  pick<T>(list: readonly T[]): T;
}

/** Mulberry32: small, fast, and good enough for choosing test data. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;

  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  return {
    int: (below) => Math.floor(next() * below),
    chance: (probability) => next() < probability,
    pick(list) {
      const chosen = list[Math.floor(next() * list.length)];
      if (chosen === undefined && list.length === 0) throw new RangeError("There is nothing to pick from.");
      return chosen as (typeof list)[number];
    },
  };
}
