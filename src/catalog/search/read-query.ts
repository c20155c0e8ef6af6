import { correctForeign, isListed, joinPhrases, type ReadWord, translateWord } from "./dictionary.ts";
import { findLikelyGoals, findNamedGoals, type Serves, type NamedGoal } from "./goals.ts";
import type { Speller } from "./spelling.ts";
import { groupsOf } from "./thesaurus.ts";
import { isEnglishWord, isForeignStopWord, isLightWord, isStopWord, splitWords, stemWord } from "./words.ts";

/** One thing that a query asks for. */
export interface QueryPart {
  /** The terms it may stand for, with how surely it does. */
  readonly meanings: ReadonlyMap<string, number>;
  /** How much it counts beside the other parts. */
  readonly weight: number;
  /** The goal that it comes from, as a number; 0 for the words of the query itself. */
  readonly goal: number;
}

/** A word of the query, and the English words that it stands for: none if nothing is known about it. */
interface Term {
  readonly word: string;
  readonly forms: readonly string[];
  /** Whether it says nothing about what a tool does. */
  readonly isEmpty: boolean;
}

/** A word itself says more than another word for the same thing. */
const synonymWeight = 0.6;
/** What a phrase comes down to, and what is left for its own words. */
const namedWeight = 0.5;
const coveredWeight = 0.4;
/** What the whole query probably comes down to, and how far the best goal leads the others. */
const likelyWeight = 1;
const lead = 2;
const lightWeight = 0.5;
/** A word that was probably mistyped, or that was translated. */
const guessedWeight = 0.8;
const maxWords = 40;

/** The parts of a query: its words, and what it comes down to. It pauses after each word: guessing one takes time. */
export function* readQuery(
  phrasing: string,
  speller: Speller,
  serves: Serves,
): Generator<undefined, readonly QueryPart[]> {
  yield* loadTables();
  const terms = yield* readTerms(phrasing, speller);
  const named = findNamedGoals(terms.map(stemOf), serves);
  const likely = findLikelyGoals(terms.filter(({ isEmpty }) => !isEmpty).map(stemOf), serves);
  const best = likely[0]?.part ?? 1;
  return [
    ...ownParts(terms, named),
    ...goalParts([
      ...named.map(({ targets }) => ({ targets, weight: namedWeight })),
      ...likely.map(({ targets, part }) => ({ targets, weight: likelyWeight * part * (part / best) ** lead })),
    ]),
  ];
}

function ownParts(terms: readonly Term[], named: readonly NamedGoal[]): readonly QueryPart[] {
  const covered = new Set(named.filter(({ places }) => places.length > 1).flatMap(({ places }) => places));
  const isNothingElse = named.length === 0 && terms.every(({ isEmpty }) => isEmpty);
  const parts = new Map<string, QueryPart>();
  for (const [place, { word, forms, isEmpty }] of terms.entries()) {
    if (forms.length === 0 || (isEmpty && !isNothingElse) || parts.has(word)) continue;
    const weight = covered.has(place) ? coveredWeight : isLightWord(forms[0]!) ? lightWeight : 1;
    parts.set(word, { meanings: meaningsOf(forms, word), weight, goal: 0 });
  }
  return [...parts.values()];
}

function goalParts(goals: readonly { targets: readonly string[]; weight: number }[]): readonly QueryPart[] {
  // The same word has the same meanings in every goal, so that they are looked up once.
  const known = new Map<string, QueryPart["meanings"]>();
  return goals.flatMap(({ targets, weight }, place) =>
    targets.map((target) => {
      const meanings = known.get(target) ?? meaningsOf([target], target);
      known.set(target, meanings);
      return { meanings, weight, goal: place + 1 };
    }),
  );
}

/** The tables are read with the first search, with a pause after each. */
function* loadTables(): Generator<undefined, void> {
  for (const load of [isEnglishWord, isForeignStopWord, isListed, groupsOf]) {
    load("");
    yield;
  }
  findNamedGoals([""], () => 0);
  yield;
  findLikelyGoals([""], () => 0);
  yield;
}

function* readTerms(phrasing: string, speller: Speller): Generator<undefined, readonly Term[]> {
  const words = joinPhrases(splitWords(phrasing.slice(0, 2000)).slice(0, maxWords)).slice(0, maxWords);
  const isForeign = judgeForeign(words);
  const terms: Term[] = [];
  for (const { word, english } of words) {
    const isEmpty =
      english.length === 0 && (isForeign ? isForeignStopWord(word) || isStopWord(word) : isStopWord(word));
    const forms = isEmpty ? [word] : english.length > 0 ? english : formsOf(word, isForeign, speller);
    terms.push({ word, forms, isEmpty });
    yield;
  }
  return terms;
}

function stemOf({ word, forms }: Term): string {
  return stemWord(forms[0] ?? word);
}

/** Whether more of the words are foreign and nothing else than English and nothing else. */
function judgeForeign(words: readonly ReadWord[]): boolean {
  let balance = 0;
  for (const { word, english } of words) {
    const isForeign = english.length > 0 || isListed(word) || isForeignStopWord(word);
    const isEnglish = english.length === 0 && (isStopWord(word) || isEnglishWord(word));
    if (isForeign !== isEnglish) balance += isForeign ? 1 : -1;
    // It may be a form of a foreign word, or a mistyped English one.
    else if (!isForeign && translateWord(word).length > 0) balance += 0.5;
  }
  return balance > 0;
}

/** The English words that a word of a query stands for. */
function formsOf(word: string, isForeign: boolean, speller: Speller): readonly string[] {
  if (isForeign || (isListed(word) && !isEnglishWord(word) && !speller.knows(word))) {
    const english = translateWord(word);
    if (speller.knows(word)) return [...english, word];
    if (english.length > 0) return english;
  }
  const corrected = speller.correct(word);
  return corrected.length === 0 && isForeign ? correctForeign(word) : corrected;
}

function meaningsOf(forms: readonly string[], word: string): ReadonlyMap<string, number> {
  const meanings = new Map<string, number>();
  const add = (term: string, weight: number): void => {
    meanings.set(term, Math.max(meanings.get(term) ?? 0, weight));
  };
  for (const form of forms) {
    const stem = stemWord(form);
    const sure = form === word ? 1 : guessedWeight;
    add(stem, sure);
    for (const group of groupsOf(stem)) add(group, sure * synonymWeight);
  }
  return meanings;
}
