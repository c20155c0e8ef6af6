/** Divides something scarce (request slots, bytes, connections) among its holders, so that none of them uses it all up. */
export interface Shares {
  /** Returns why the holder can't have the amount, or undefined if it has it now. */
  take(holder: string, amount?: number): ShareRefusal | undefined;
  give(holder: string, amount?: number): void;
  readonly taken: number;
  readonly rules: ShareRules;
}

/** `share`: the holder has all that one may have. `all`: there is no more for anyone, or only the reserve. */
export type ShareRefusal = "share" | "all";

export interface ShareRules {
  readonly max: number;
  /** The most that one holder may have. */
  readonly maxOfOne: number;
  /** How much of it is kept for `reservedFor`. */
  readonly reserve?: number;
  readonly reservedFor?: string;
}

/** One holder gets at most half, and a sixteenth is kept for `reservedFor`, if there is such a holder. */
export function fairRules(max: number, reservedFor?: string): ShareRules {
  const maxOfOne = Math.max(1, Math.floor(max / 2));
  return reservedFor === undefined ? { max, maxOfOne } : { max, maxOfOne, reserve: Math.floor(max / 16), reservedFor };
}

const manyHolders = 1000;

export function createShares(rules: ShareRules): Shares {
  const { max, maxOfOne, reserve = 0, reservedFor } = rules;
  const amounts = new Map<string, number>();
  let taken = 0;
  return {
    take(holder, amount = 1) {
      const own = (amounts.get(holder) ?? 0) + amount;
      if (own > maxOfOne) return "share";
      if (taken + amount > (holder === reservedFor ? max : max - reserve)) return "all";
      amounts.set(holder, own);
      taken += amount;
      return undefined;
    },
    give(holder, amount = 1) {
      const own = (amounts.get(holder) ?? 0) - amount;
      // A holder that has nothing is forgotten only if there are many: most come back at once.
      if (own > 0 || amounts.size <= manyHolders) amounts.set(holder, own);
      else amounts.delete(holder);
      taken -= amount;
    },
    get taken() {
      return taken;
    },
    rules,
  };
}
