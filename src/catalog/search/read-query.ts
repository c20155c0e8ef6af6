import { conceptsOf } from "./concepts.ts";
import { longestHint, readHints } from "./hints.ts";
import type { Speller } from "./spelling.ts";
import { isLightWord, isStopWord, splitWords, stemWord } from "./words.ts";

/** One thing that a query asks for. */
export interface QueryPart {
  /** The terms it may stand for, with how surely it does. */
  readonly meanings: ReadonlyMap<string, number>;
  /** How much it counts beside the other parts. */
  readonly weight: number;
}

/** A word itself says more than another word for the same thing. */
const conceptWeight = 0.7;
/** What a phrase comes down to, and what is left for its own words. */
const hintWeight = 0.6;
const hintedWeight = 0.4;
const lightWeight = 0.5;
/** A word that was probably mistyped. */
const correctedWeight = 0.8;
const maxWords = 40;

/** The parts of a query: its words, and what its phrases come down to. It pauses after each word: guessing one takes time. */
export function* readQuery(phrasing: string, speller: Speller): Generator<undefined, readonly QueryPart[]> {
  const words = splitWords(phrasing.slice(0, 2000)).slice(0, maxWords);
  const { targets, covered } = findHints(words);
  const isMeant = (word: string): boolean => !isStopWord(word);
  const hasMeant = words.some(isMeant) || targets.size > 0;
  const own = new Map<string, QueryPart>();
  for (const [place, word] of words.entries()) {
    if (own.has(word) || (hasMeant && !isMeant(word))) continue;
    const meanings = meaningsOf(word, speller);
    const weight = covered.has(place) ? hintedWeight : isLightWord(word) ? lightWeight : 1;
    own.set(word, { meanings, weight });
    yield;
  }
  const hinted = Array.from(targets, (target) => {
    const stem = stemWord(target);
    const concepts = conceptsOf(stem).map((concept) => [concept, conceptWeight] as const);
    return { meanings: new Map<string, number>([...concepts, [stem, 1]]), weight: hintWeight };
  });
  return [...own.values().filter(({ meanings }) => meanings.size > 0), ...hinted];
}

const hints = readHints();

/** The longest phrases count: one that lies within another says less. */
function findHints(words: readonly string[]): { targets: ReadonlySet<string>; covered: ReadonlySet<number> } {
  const stems = words.map(stemWord);
  const targets = new Set<string>();
  const covered = new Set<number>();
  for (let length = longestHint; length > 0; length--) {
    for (let start = 0; start + length <= stems.length; start++) {
      const places = Array.from({ length }, (_, offset) => start + offset);
      if (places.some((place) => covered.has(place))) continue;
      const found = hints.get(stems.slice(start, start + length).join(" "));
      if (found === undefined) continue;
      for (const target of found) targets.add(target);
      // A word on its own may be meant as it stands.
      if (length > 1) for (const place of places) covered.add(place);
    }
  }
  return { targets, covered };
}

function meaningsOf(word: string, speller: Speller): ReadonlyMap<string, number> {
  const meanings = new Map<string, number>();
  const add = (term: string, weight: number): void => {
    meanings.set(term, Math.max(meanings.get(term) ?? 0, weight));
  };
  for (const form of speller.correct(word)) {
    const stem = stemWord(form);
    const sure = form === word ? 1 : correctedWeight;
    add(stem, sure);
    for (const concept of conceptsOf(stem)) add(concept, sure * conceptWeight);
  }
  return meanings;
}
