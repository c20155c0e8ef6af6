import { memoized } from "./memoized.ts";
import { assignNames, narrowNames, nameCandidate, type NarrowNames } from "./names.ts";
import { type ListedSource, renamed } from "./source.ts";

interface Entry<T> {
  readonly name: string;
  readonly source: ListedSource;
  readonly definition: T;
}

export interface ViewEntryRules<T, E> {
  /** The item as its source lists it. */
  original(entry: E): T;
  /** The definition as the view shows it, beside its name. */
  readonly show?: ((entry: E, definition: T) => T) | undefined;
  /** Whether names have no prefix of their source. */
  readonly bare: boolean;
  readonly alphabet: "wide" | "narrow";
  /** The narrow names of the whole catalog, which a view with prefixes uses. */
  narrowNames(): NarrowNames;
}

/** Entries under the names that a view gives them. */
export interface ViewEntries<T, E> {
  readonly entries: readonly E[];
  readonly definitions: readonly T[];
  /** By the name shown here, by its form in the other alphabet, or, with bare names, by the source's own if only one has it. */
  find(name: string): E | undefined;
}

export function createViewEntries<T extends { readonly name: string }, E extends Entry<T>>(
  entries: readonly E[],
  rules: ViewEntryRules<T, E>,
): ViewEntries<T, E> {
  const wideNames = rules.bare ? bareNames(entries, rules) : entries.map((entry) => entry.name);
  const narrow = rules.alphabet === "narrow" ? narrowNamesOf(wideNames, rules).narrow : undefined;
  const shown = entries.map((entry, index): E => {
    const wide = wideNames[index]!;
    const name = narrow?.get(wide) ?? wide;
    const named = name === entry.definition.name ? entry.definition : renamed(rules.original(entry), name);
    const definition = rules.show?.(entry, named) ?? named;
    return definition === entry.definition ? entry : { ...entry, definition };
  });
  const byWideName = new Map(shown.map((entry, index) => [wideNames[index]!, entry]));
  const otherName = memoized(() => otherNames(shown, wideNames, rules));
  return {
    entries: shown,
    definitions: shown.map((entry) => entry.definition),
    find: (name) => byWideName.get(name) ?? otherName().get(name),
  };
}

function bareNames<T extends { readonly name: string }, E extends Entry<T>>(
  entries: readonly E[],
  rules: ViewEntryRules<T, E>,
): string[] {
  return assignNames(
    entries.map((entry) =>
      nameCandidate({ source: entry.source.id, original: rules.original(entry).name, own: false }),
    ),
  );
}

function narrowNamesOf<T, E>(wideNames: readonly string[], rules: ViewEntryRules<T, E>): NarrowNames {
  return rules.bare ? narrowNames(wideNames) : rules.narrowNames();
}

/** Made only when a lookup by the usual name fails. */
function otherNames<T extends { readonly name: string }, E extends Entry<T>>(
  shown: readonly E[],
  wideNames: readonly string[],
  rules: ViewEntryRules<T, E>,
): Map<string, E> {
  const { narrow } = narrowNamesOf(wideNames, rules);
  const ofOriginal = rules.bare ? Map.groupBy(shown, (entry) => rules.original(entry).name) : new Map<string, E[]>();
  // With several sources it would be a guess which one is meant.
  const originals = [...ofOriginal].flatMap(([name, [entry, another]]) =>
    entry === undefined || another !== undefined ? [] : [[name, entry] as const],
  );
  return new Map([...originals, ...shown.map((entry, index) => [narrow.get(wideNames[index]!)!, entry] as const)]);
}
