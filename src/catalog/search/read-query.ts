import { correctForeign, isListed, joinPhrases, type ReadWord, translateWord } from "./dictionary.ts";
import { findLikelyGoal, findNamedGoals } from "./goals.ts";
import type { Speller } from "./spelling.ts";
import { groupsOf } from "./thesaurus.ts";
import { isEnglishWord, isForeignStopWord, isLightWord, isStopWord, splitWords, stemWord } from "./words.ts";

/** One thing that a query asks for. */
export interface QueryPart {
  /** The terms it may stand for, with how surely it does. */
  readonly meanings: ReadonlyMap<string, number>;
  /** How much it counts beside the other parts. */
  readonly weight: number;
  /** Whether it is a word of the query itself. */
  readonly isOwn: boolean;
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
const namedWeight = 0.7;
const coveredWeight = 0.4;
/** What the whole query probably comes down to. */
const likelyWeight = 0.8;
const lightWeight = 0.5;
/** A word that was probably mistyped, or that was translated. */
const guessedWeight = 0.8;
const maxWords = 40;

/** The parts of a query: its words, and what its phrases come down to. It pauses after each word: guessing one takes time. */
export function* readQuery(phrasing: string, speller: Speller): Generator<undefined, readonly QueryPart[]> {
  yield* loadTables();
  const terms = yield* readTerms(phrasing, speller);
  const named = findNamedGoals(terms.map(stemOf));
  const covered = new Set(named.filter(({ places }) => places.length > 1).flatMap(({ places }) => places));
  const isNothingElse = named.length === 0 && terms.every(({ isEmpty }) => isEmpty);
  const meant = terms.filter(({ isEmpty, forms }) => forms.length > 0 && (!isEmpty || isNothingElse));
  const parts = new Map<string, QueryPart>();
  for (const { word, forms } of meant) {
    if (parts.has(word)) continue;
    const isCovered = covered.has(terms.findIndex((term) => term.word === word));
    const weight = isCovered ? coveredWeight : isLightWord(forms[0]!) ? lightWeight : 1;
    parts.set(word, { meanings: meaningsOf(forms, word), weight, isOwn: true });
  }
  const addTarget = (target: string, weight: number): void => {
    // A goal's words are parts of their own, even if the query has them.
    const key = `=${target}`;
    if (!parts.has(key)) parts.set(key, { meanings: meaningsOf([target], target), weight, isOwn: false });
  };
  for (const target of named.flatMap(({ targets }) => targets)) addTarget(target, namedWeight);
  const likely = findLikelyGoal(terms.filter(({ isEmpty }) => !isEmpty).map(stemOf));
  for (const target of likely?.targets ?? []) addTarget(target, likelyWeight * likely!.part);
  return [...parts.values()];
}

/** The tables are read with the first search, with a pause after each. */
function* loadTables(): Generator<undefined, void> {
  for (const load of [isEnglishWord, isForeignStopWord, isListed, groupsOf]) {
    load("");
    yield;
  }
  findNamedGoals([""]);
  yield;
  findLikelyGoal([""]);
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
