import { readLanguageFile } from "./language-data.ts";
import { groupsOf } from "./thesaurus.ts";
import { isStopWord, splitWords, stemWord } from "./words.ts";
import { memoized } from "../memoized.ts";

/** A phrase that was found in a query, and what tools call what it is about. */
export interface NamedGoal {
  readonly targets: readonly string[];
  /** Where its words are in the query. */
  readonly places: readonly number[];
}

/** A goal that a query is probably about, since they share words. */
export interface LikelyGoal {
  readonly targets: readonly string[];
  /** The part of the query's words that they share, from 0 to 1; rare words count more. */
  readonly part: number;
}

/** How well the tools serve a word, from 0 to 1: they have it, or another for the same. */
export type Serves = (word: string) => number;

interface Phrase {
  readonly stems: readonly string[];
  readonly targets: readonly string[];
}

/** How many other words may be between two words of a phrase. */
const widestGap = 2;
/** Below this, what a query and a goal share is chance. */
const leastPart = 0.2;
/** What a synonym of a query's word counts beside the word itself. */
const synonymPart = 0.5;
/** How many goals a query may be about, and how many are looked at. */
const maxGoals = 3;
const maxTried = 30;

/** Lines with the same targets are one goal. */
const lines = memoized(() => {
  const byTargets = new Map<string, { readonly targets: readonly string[]; readonly phrases: string[][] }>();
  for (const line of readLanguageFile("goals")) {
    const [named = "", sayings = ""] = line.split(" : ");
    const targets = [...new Set(splitWords(named))];
    const key = targets.map(stemWord).sort().join(" ");
    const known = byTargets.get(key) ?? { targets, phrases: [] };
    known.phrases.push(...sayings.split(",").map(splitWords));
    byTargets.set(key, known);
  }
  return [...byTargets.values()];
});

/** The phrases by their first stem. One that several lines have stands for all of them. */
const phrases = memoized(() => {
  const byWords = new Map<string, Phrase>();
  for (const line of lines()) {
    for (const words of line.phrases) {
      const stems = words.map(stemWord);
      const known = byWords.get(stems.join(" "))?.targets ?? [];
      byWords.set(stems.join(" "), { stems, targets: [...new Set([...known, ...line.targets])] });
    }
  }
  return Map.groupBy(byWords.values(), ({ stems }) => stems[0]!);
});

/** The lines that each stem is in, and each group of synonyms. */
const linesByTerm = memoized(() => {
  const found = new Map<string, number[]>();
  for (const [place, line] of lines().entries()) {
    const words = [...line.targets, ...line.phrases.flat()].filter((word) => !isStopWord(word));
    const stems = words.map(stemWord);
    for (const term of new Set([...stems, ...stems.flatMap(groupsOf)])) {
      const known = found.get(term);
      if (known === undefined) found.set(term, [place]);
      else known.push(place);
    }
  }
  return found;
});

/** The goals that a query names. The longer phrase counts: one that shares words with it says less. */
export function findNamedGoals(stems: readonly string[], serves: Serves): readonly NamedGoal[] {
  const candidates = stems.flatMap((stem, start) =>
    (phrases().get(stem) ?? []).flatMap((phrase) => {
      const places = placesOf(phrase.stems, stems, start);
      const targets = places === undefined ? [] : phrase.targets.filter((target) => serves(target) > 0);
      return targets.length === 0 ? [] : [{ targets, places: places! }];
    }),
  );
  const covered = new Set<number>();
  const found: NamedGoal[] = [];
  for (const goal of candidates.sort((a, b) => b.places.length - a.places.length)) {
    if (goal.places.some((place) => covered.has(place))) continue;
    found.push(goal);
    // A word on its own may be meant as it stands.
    if (goal.places.length > 1) for (const place of goal.places) covered.add(place);
  }
  return found;
}

/** The goals that share most with a query, in whatever order its words are. Goals that the tools do not serve count less. */
export function findLikelyGoals(stems: Iterable<string>, serves: Serves): readonly LikelyGoal[] {
  const shared = new Map<number, number>();
  let whole = 0;
  for (const stem of new Set(stems)) {
    const rarity = rarityOf(stem);
    const gains = new Map<number, number>();
    for (const group of groupsOf(stem)) {
      const gain = Math.min(rarity, rarityOf(group)) * synonymPart;
      for (const place of linesByTerm().get(group) ?? []) gains.set(place, Math.max(gains.get(place) ?? 0, gain));
    }
    for (const place of linesByTerm().get(stem) ?? []) gains.set(place, rarity);
    for (const [place, gain] of gains) shared.set(place, (shared.get(place) ?? 0) + gain);
    whole += rarity;
  }
  const tried = [...shared]
    .filter(([, sum]) => sum >= whole * leastPart)
    .sort(([, a], [, b]) => b - a)
    .slice(0, maxTried);
  return tried
    .map(([place, sum]) => {
      const { targets } = lines()[place]!;
      const served = targets.filter((target) => serves(target) > 0);
      const part = served.reduce((found, target) => found + serves(target), 0) / targets.length;
      return { targets: served, part: (sum / whole) * part };
    })
    .filter(({ targets }) => targets.length > 0)
    .sort((a, b) => b.part - a.part)
    .slice(0, maxGoals);
}

function rarityOf(term: string): number {
  return Math.log(1 + lines().length / ((linesByTerm().get(term)?.length ?? 0) + 1));
}

function placesOf(phrase: readonly string[], stems: readonly string[], start: number): readonly number[] | undefined {
  const places = [start];
  for (const stem of phrase.slice(1)) {
    const from = places.at(-1)! + 1;
    const at = stems.indexOf(stem, from);
    if (at === -1 || at > from + widestGap) return undefined;
    places.push(at);
  }
  return places;
}
