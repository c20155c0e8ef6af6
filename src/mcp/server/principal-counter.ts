/** Counts how many of something each principal has, for limits per principal. */
export interface PrincipalCounter {
  add(principal: string): void;
  remove(principal: string): void;
  of(principal: string): number;
  /** The principal that has the most. Undefined if all counts are zero. */
  greatest(): string | undefined;
}

export function createPrincipalCounter(): PrincipalCounter {
  const counts = new Map<string, number>();
  const of = (principal: string): number => counts.get(principal) ?? 0;
  return {
    of,
    add: (principal) => void counts.set(principal, of(principal) + 1),
    remove(principal) {
      const left = of(principal) - 1;
      if (left > 0) counts.set(principal, left);
      else counts.delete(principal);
    },
    greatest() {
      let found: string | undefined;
      for (const [principal, count] of counts) if (found === undefined || count > of(found)) found = principal;
      return found;
    },
  };
}
