import { once, readLanguageFile } from "./language-data.ts";
import { isStopWord, splitWords, stemWord } from "./words.ts";

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
/** How many goals a query may be about. */
const mostLikely = 3;
const mostTried = 30;

/** Lines with the same targets are one goal. */
const lines = once(() => {
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
const phrases = once(() => {
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

/** The lines that each stem is in. */
const linesByStem = once(() => {
  const found = new Map<string, number[]>();
  for (const [place, line] of lines().entries()) {
    const words = [...line.targets, ...line.phrases.flat()].filter((word) => !isStopWord(word));
    for (const stem of new Set(words.map(stemWord))) {
      const known = found.get(stem);
      if (known === undefined) found.set(stem, [place]);
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
    const places = linesByStem().get(stem) ?? [];
    const rarity = Math.log(1 + lines().length / (places.length + 1));
    whole += rarity;
    for (const place of places) shared.set(place, (shared.get(place) ?? 0) + rarity);
  }
  const found: LikelyGoal[] = [];
  for (const [place, sum] of [...shared].sort(([, a], [, b]) => b - a)) {
    const part = sum / whole;
    if (part < leastPart || found.length === mostTried) break;
    const { targets } = lines()[place]!;
    const served = targets.reduce((sum, target) => sum + serves(target), 0) / targets.length;
    if (served > 0) found.push({ targets: targets.filter((target) => serves(target) > 0), part: part * served });
  }
  return found.sort((a, b) => b.part - a.part).slice(0, mostLikely);
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
