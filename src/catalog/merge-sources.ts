import { isDeepStrictEqual } from "node:util";
import { assignNames, type NameCandidate, nameCandidate } from "./names.ts";
import type { Source } from "./source.ts";
import type { PatternSubject } from "./tool-pattern.ts";

export interface MergeRules<T, E> {
  /** The same array until it changes; empty if the source has none. */
  list(source: Source): readonly T[];
  make(source: Source, item: T, name: string, aliases: NameCandidate["aliases"]): E;
  /** As its peer calls it, if the configuration gave it another name. */
  listedName?(source: Source, item: T): string | undefined;
  /** Whether the catalog shows an item. */
  shows(item: PatternSubject): boolean;
}

export interface Merged<E> {
  readonly all: readonly E[];
  readonly bySource: ReadonlyMap<string, readonly E[]>;
}

/** What is kept of one source between two merges, so that a change in another source costs it nothing. */
interface CachedSource<T, E> {
  readonly source: Source;
  readonly list: readonly T[];
  readonly items: readonly T[];
  readonly candidates: readonly NameCandidate[];
  entries: readonly E[];
}

/**
 * Merges the named items of many sources into one list, in the order of the sources. An entry stays the same object
 * while its item and its name do, and the result while all its entries do: callers use them as cache keys.
 */
export function createSourceMerger<T extends { readonly name: string }, E extends { readonly name: string }>(
  rules: MergeRules<T, E>,
): (sources: readonly Source[]) => Merged<E> {
  let cached = new Map<string, CachedSource<T, E>>();
  let merged: Merged<E> = { all: [], bySource: new Map() };
  const made = new WeakMap<Source, WeakMap<T, E>>();

  function cachedSourceOf(source: Source): CachedSource<T, E> {
    const list = rules.list(source);
    const known = cached.get(source.id);
    if (known !== undefined && known.source === source && known.list === list) return known;
    const items = firstOfEachName(list);
    return { source, list, items, candidates: items.map((item) => candidateOf(source, item)), entries: [] };
  }

  function candidateOf(source: Source, item: T): NameCandidate {
    const { id, prefix, kind } = source;
    const own = kind === "machine" || kind === "agent";
    return nameCandidate({
      source: id,
      prefix,
      original: item.name,
      own,
      listed: () => rules.listedName?.(source, item),
    });
  }

  function entryOf(source: Source, item: T, name: string, { aliases }: NameCandidate): E {
    const ofSource = made.get(source) ?? new WeakMap<T, E>();
    made.set(source, ofSource);
    const known = ofSource.get(item);
    if (known !== undefined && known.name === name) return known;
    const entry = rules.make(source, item, name, aliases);
    ofSource.set(item, entry);
    return entry;
  }

  return (sources) => {
    cached = new Map(sources.map((source) => [source.id, cachedSourceOf(source)]));
    const prefixes = new Set(sources.flatMap(({ prefix }) => prefix || []));
    const names = assignNames(
      [...cached.values()].flatMap((kept) => kept.candidates),
      prefixes,
    );
    const bySource = new Map<string, readonly E[]>();
    let at = 0;
    for (const source of sources) {
      const kept = cached.get(source.id)!;
      const entries: E[] = [];
      for (const [index, item] of kept.items.entries()) {
        const name = names[at++]!;
        const candidate = kept.candidates[index]!;
        if (rules.shows({ name, aliases: candidate.aliases })) entries.push(entryOf(source, item, name, candidate));
      }
      if (!sameElements(kept.entries, entries)) kept.entries = entries;
      bySource.set(source.id, kept.entries);
    }
    const all = [...bySource.values()].flat();
    if (!sameElements(merged.all, all)) merged = { all, bySource };
    return merged;
  };
}

/** If a source lists a name twice, only one of the two could ever be called. */
function firstOfEachName<T extends { readonly name: string }>(list: readonly T[]): readonly T[] {
  const seen = new Set<string>();
  return list.filter((item) => !seen.has(item.name) && seen.add(item.name));
}

export function sameElements(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((element, index) => element === other[index]);
}

type Meta = Readonly<Record<string, unknown>>;

/** The `_meta` of a list that several sources make up: what one of them says, and no other contradicts. */
export function mergeListMeta(all: Iterable<Meta | undefined>): Meta | undefined {
  const merged = new Map<string, unknown>();
  const contradicted = new Set<string>();
  for (const meta of all) {
    for (const [key, value] of Object.entries(meta ?? {})) {
      if (merged.has(key) && !isDeepStrictEqual(merged.get(key), value)) contradicted.add(key);
      merged.set(key, value);
    }
  }
  for (const key of contradicted) merged.delete(key);
  return merged.size === 0 ? undefined : Object.fromEntries(merged);
}
