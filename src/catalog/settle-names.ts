import { hash } from "node:crypto";

/** How the names of one alphabet come about. */
export interface NameRules<T> {
  /** The name the item would bear if nobody else wanted it; nothing where that would be no valid name. */
  plain(item: T): string | undefined;
  /** Of two that want the same name, the one with the lower rank gets it; with equal ranks, neither. */
  rank(item: T): number;
  /** Valid characters only, at most `baseLength` of them: what stands before the hash of a name that can't be plain. */
  base(item: T): string;
  /** Different for any two items, and the same on every start. */
  identity(item: T): string;
  /** Names with the same fold are the same name to those who use them. */
  fold(name: string): string;
}

const longestName = 64;
const hashLength = 8;
/** What is left for the readable part before `_` and the hash. */
export const baseLength = longestName - hashLength - 1;

interface Holder {
  readonly index: number;
  readonly rank: number;
  contested: boolean;
}

/**
 * One name for each item, in the items' order. The outcome depends on the set alone and not on its order, since tools
 * come and go in any order. A name wanted by two equals belongs to neither: whoever came later could otherwise take
 * over a name that people already trust.
 */
export function settleNames<T>(items: readonly T[], rules: NameRules<T>): string[] {
  const plainNames = items.map((item) => rules.plain(item));
  const holders = claimNames(items, plainNames, rules);
  const names: string[] = [];
  const rest: { index: number; identity: string }[] = [];
  for (const [index, item] of items.entries()) {
    const plain = plainNames[index];
    const holder = plain === undefined ? undefined : holders.get(rules.fold(plain))!;
    if (plain !== undefined && holder?.index === index && !holder.contested) names[index] = plain;
    else rest.push({ index, identity: rules.identity(item) });
  }
  rest.sort((a, b) => (a.identity < b.identity ? -1 : 1));
  const used = new Set<string>();
  for (const { index, identity } of rest) {
    const name = hashedName(rules.base(items[index]!), identity, (name) => {
      const folded = rules.fold(name);
      return !holders.has(folded) && !used.has(folded);
    });
    used.add(rules.fold(name));
    names[index] = name;
  }
  return names;
}

function claimNames<T>(
  items: readonly T[],
  plainNames: readonly (string | undefined)[],
  rules: NameRules<T>,
): Map<string, Holder> {
  const holders = new Map<string, Holder>();
  for (const [index, item] of items.entries()) {
    const plain = plainNames[index];
    if (plain === undefined) continue;
    const folded = rules.fold(plain);
    const rank = rules.rank(item);
    const holder = holders.get(folded);
    if (holder === undefined || rank < holder.rank) holders.set(folded, { index, rank, contested: false });
    else if (rank === holder.rank) holder.contested = true;
  }
  return holders;
}

/** A foreign name may look just like this one's hash: then the next round has another. */
function hashedName(base: string, identity: string, isFree: (name: string) => boolean): string {
  for (let round = 0; ; round++) {
    const name = `${base}_${hash("sha256", `${round} ${identity}`).slice(0, hashLength)}`;
    if (isFree(name)) return name;
  }
}
