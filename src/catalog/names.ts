import { hash } from "node:crypto";
import { memoized } from "./memoized.ts";

/** What a name is made of. `source` and `original` together are unique. */
export interface NameParts {
  readonly source: string;
  readonly original: string;
  readonly prefix?: string | undefined;
  /** Whether the source is built in: then no other source can take its names. */
  readonly own: boolean;
  /** As its peer calls it, if the configuration gave it another name. */
  readonly listed?: (() => string | undefined) | undefined;
}

/** An item that needs a name. Made once and kept, since names are assigned again at every change. */
export interface NameCandidate extends NameParts {
  /** The name without any change for validity or conflicts. */
  readonly plain: string;
  readonly isValid: boolean;
  /** Every name that a person may mean it by; see `aliasesOf`. */
  aliases(): readonly string[];
}

const catalogName = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/;

export function nameCandidate(parts: NameParts): NameCandidate {
  const plain = plainName(parts.prefix, parts.original);
  return { ...parts, plain, isValid: catalogName.test(plain), aliases: memoized(() => aliasesOf(parts)) };
}

/**
 * The names in the catalog, in the order of the candidates: `<prefix>__<original>` if that is valid and no other
 * candidate claims it, otherwise its readable beginning with a hash of source and original. `prefixes` are those of all
 * sources: what reads like a name of another source never has that name, not even while the other one has no tools.
 */
export function assignNames(candidates: readonly NameCandidate[], prefixes: ReadonlySet<string> = new Set()): string[] {
  return resolveNames<NameCandidate>(candidates, {
    ...catalogNameRules,
    mayHold: ({ own, prefix = "", original, plain }) =>
      own || !original.includes("__") || !hasLongerPrefix(plain, prefix, prefixes),
  });
}

function hasLongerPrefix(plain: string, own: string, prefixes: ReadonlySet<string>): boolean {
  for (let end = plain.indexOf("__", own.length + 1); end > 0; end = plain.indexOf("__", end + 1))
    if (prefixes.has(plain.slice(0, end))) return true;
  return false;
}

const catalogNameRules = {
  plain: (candidate: NameCandidate) => (candidate.isValid ? candidate.plain : undefined),
  rank: (candidate: NameCandidate) => (candidate.own ? 0 : 1),
  base(candidate: Pick<NameCandidate, "plain">) {
    const cleaned = candidate.plain.replace(/[^A-Za-z0-9_.-]+/g, "_");
    return (/^[A-Za-z]/.test(cleaned) ? cleaned : `t_${cleaned}`).slice(0, maxNameLength - hashedLength);
  },
  // JSON escapes lone surrogates, which UTF-8 would make all alike.
  identity: (candidate: Pick<NameCandidate, "source" | "original">) =>
    JSON.stringify([candidate.source, candidate.original]),
  fold: (name: string) => name,
};

export interface NarrowNames {
  /** From a name in the catalog to the one a narrow peer sees. */
  readonly narrow: ReadonlyMap<string, string>;
  /** And back. */
  readonly wide: ReadonlyMap<string, string>;
}

/** Models take 64 characters, and clients put a prefix of their own before a name. */
const maxNarrowLength = 48;
const narrowName = /^[A-Za-z0-9_-]{1,48}$/;

/**
 * Names for clients and models, which accept only `[A-Za-z0-9_-]` and few characters. Unique regardless of case, since
 * OpenClaw ignores case; and none is another tool's wide name, so that a call may use either name. Names in `hashed` always
 * get a hash: their plain form may be claimed by a tool that is not known yet.
 */
export function narrowNames(names: readonly string[], hashed: ReadonlySet<string> = new Set()): NarrowNames {
  const wideNames = [...new Set(names)];
  const plain = (name: string) => {
    const found = hashed.has(name) ? undefined : narrowNameRules.plain(name);
    return found !== undefined && found !== name && hashed.has(found) ? undefined : found;
  };
  const settled = resolveNames(wideNames, hashed.size === 0 ? narrowNameRules : { ...narrowNameRules, plain });
  return {
    narrow: new Map(wideNames.map((name, index) => [name, settled[index]!])),
    wide: new Map(wideNames.map((name, index) => [settled[index]!, name])),
  };
}

export const toNarrowAlphabet = (name: string): string => name.replace(/[^A-Za-z0-9_-]+/g, "_");

/** Whether a name may be one of a source with this prefix, in either alphabet. */
export function mayHavePrefix(name: string, prefix: string): boolean {
  if (prefix === "") return true;
  const heads = [`${prefix}__`, `${toNarrowAlphabet(prefix)}__`];
  // Of a name that was shortened, only the beginning is left.
  return heads.some((head) => name.startsWith(head.slice(0, maxNarrowLength - hashedLength)));
}

/** Whether a person may mean the tool of this name by what they typed: the name, or its narrow form. */
export function isNameOrNarrow(typed: string, name: string): boolean {
  if (typed === name) return true;
  const narrow = narrowNames([name]).narrow.get(name);
  return typed === narrow || typed === narrowNames([name], new Set([name])).narrow.get(name);
}

/**
 * Every name that a person may mean an item by, whatever name it has now: with its prefix, with the id of its source, as its
 * source and its peer call it; each with and without the hash of a conflict, in both alphabets.
 */
export function aliasesOf(parts: Omit<NameParts, "own">): readonly string[] {
  const { source, prefix } = parts;
  const aliases = new Set<string>();
  for (const original of new Set([parts.original, parts.listed?.() ?? parts.original])) {
    const full = [plainName(prefix, original), conflictName({ source, prefix, original })];
    for (const name of [...full, original, `${source}__${original}`]) {
      aliases.add(name).add(toNarrowAlphabet(name));
      for (const hashed of [new Set<string>(), new Set([name])])
        aliases.add(narrowNames([name], hashed).narrow.get(name)!);
    }
  }
  return [...aliases];
}

/** The name that an item has while another one claims its plain name. */
export function conflictName({ source, prefix, original }: Omit<NameParts, "own">): string {
  const plain = plainName(prefix, original);
  return hashedName(catalogNameRules.base({ plain }), catalogNameRules.identity({ source, original }), () => true);
}

const plainName = (prefix: string | undefined, original: string): string =>
  prefix ? `${prefix}__${original}` : original;

/**
 * The prefixes that would be the same for a narrow peer. Only one that is narrow as it is can keep its plain form: the tools
 * of the others would change their names whenever the other source connects or disconnects.
 */
export function contestedPrefixes(prefixes: readonly string[]): ReadonlySet<string> {
  const byFold = Map.groupBy(new Set(prefixes), (prefix) => toNarrowAlphabet(prefix).toLowerCase());
  const contested = new Set<string>();
  for (const alike of byFold.values()) {
    if (alike.length === 1) continue;
    const natives = alike.filter((prefix) => prefix === toNarrowAlphabet(prefix));
    for (const prefix of alike) if (natives.length !== 1 || prefix !== natives[0]) contested.add(prefix);
  }
  return contested;
}

const narrowNameRules: NameRules<string> = {
  plain(name) {
    const cleaned = toNarrowAlphabet(name);
    return narrowName.test(cleaned) ? cleaned : undefined;
  },
  rank: (name) => (narrowName.test(name) ? 0 : 1),
  base: (name) => toNarrowAlphabet(name).slice(0, maxNarrowLength - hashedLength) || "t",
  identity: (name) => JSON.stringify(name),
  fold: (name) => name.toLowerCase(),
};

/** How the names of one alphabet are made. */
export interface NameRules<T> {
  /** The item's name if no other item claims it; undefined if that is not a valid name. */
  plain(item: T): string | undefined;
  /** Whether it gets a name that only it claims; it does unless given. */
  mayHold?(item: T): boolean;
  /** If two items claim a name, the lower rank gets it; with equal ranks, neither does. */
  rank(item: T): number;
  /** The readable part before the hash, for an item that can't have its plain name. It leaves `hashedLength` characters. */
  base(item: T): string;
  /** Different for any two items, and the same on every start. */
  identity(item: T): string;
  /** Peers treat two names with the same fold as the same name. */
  fold(name: string): string;
}

const maxNameLength = 64;
const hashLength = 8;
/** `_` and the hash. */
const hashedLength = hashLength + 1;

interface NameHolder {
  readonly index: number;
  readonly rank: number;
  contested: boolean;
}

/**
 * One name for each item, in the items' order. The result depends on the set alone and not on its order, since tools
 * come and go in any order. A name that two equals claim belongs to neither: otherwise a later tool could take over a
 * name that people already trust.
 */
function resolveNames<T>(items: readonly T[], rules: NameRules<T>): string[] {
  const plainNames = items.map((item) => rules.plain(item));
  const holders = claimNames(items, plainNames, rules);
  const names: string[] = [];
  const rest: { index: number; identity: string }[] = [];
  for (const [index, item] of items.entries()) {
    const plain = plainNames[index];
    const holder = plain === undefined ? undefined : holders.get(rules.fold(plain))!;
    const isHeld = holder?.index === index && !holder.contested && rules.mayHold?.(item) !== false;
    if (plain !== undefined && isHeld) names[index] = plain;
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
): Map<string, NameHolder> {
  const holders = new Map<string, NameHolder>();
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

/** Another tool may have this very name: then the next round tries another hash. */
function hashedName(base: string, identity: string, isFree: (name: string) => boolean): string {
  for (let round = 0; ; round++) {
    const name = `${base}_${hash("sha256", `${round} ${identity}`).slice(0, hashLength)}`;
    if (isFree(name)) return name;
  }
}
