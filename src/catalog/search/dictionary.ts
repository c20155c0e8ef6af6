import { readLanguageFile } from "./language-data.ts";
import { createSpeller, splitCompound } from "./spelling.ts";
import { foldText, splitWords } from "./words.ts";
import { memoized } from "../memoized.ts";

/** A word of a query as it was written, and what it means in English if it is foreign. */
export interface ReadWord {
  readonly word: string;
  readonly english: readonly string[];
}

interface Phrase {
  readonly words: readonly string[];
  readonly english: readonly string[];
  /** How many other words may be between its words. */
  readonly gap: number;
}

/** Scripts that put no space between words. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]/u;
/** German puts the second part of a verb at the end of the sentence. */
const widestGap = 5;
/** A form of a word begins like it, in this part of the longer of the two. */
const alikePart = 0.75;
const shortestStart = 4;

const dictionary = memoized(() => {
  const words = new Map<string, string[]>();
  const phrases = new Map<string, Phrase[]>();
  for (const line of readLanguageFile("dictionary")) {
    if (line.startsWith("languages ")) continue;
    const [meaning = "", translations = ""] = line.split(" : ");
    const english = splitWords(meaning);
    for (const entry of foldText(translations).split(/[\s|]+/)) {
      const parts = entry.split(/[^\p{L}\p{N}]+/u).filter((part) => part !== "");
      if (parts.length === 1) addTo(words, parts[0]!, english);
      else if (parts.length > 1) {
        const same = phrases.get(parts[0]!) ?? [];
        // Longer phrases are fixed expressions.
        const gap = entry.includes("_") && parts.length === 2 ? widestGap : 0;
        phrases.set(parts[0]!, [...same, { words: parts, english, gap }]);
      }
    }
  }
  const byStart = Map.groupBy(words.keys(), (word) => word.slice(0, shortestStart));
  const longest = Math.max(...words.keys().map((word) => word.length));
  return { words, phrases, byStart, longest };
});

/** What a word of another language means in English, as it is listed, as a compound, or as a form of a listed word. */
export function translateWord(word: string): readonly string[] {
  const { words, byStart } = dictionary();
  const listed = words.get(word);
  if (listed !== undefined) return listed;
  const parts = splitCompound(word, words);
  if (parts !== undefined) return parts.flatMap((part) => words.get(part)!);
  let best: { readonly word: string; readonly part: number } | undefined;
  for (const candidate of byStart.get(word.slice(0, shortestStart)) ?? []) {
    const shared = sharedStart(word, candidate);
    const isWhole = shared === candidate.length && shared > shortestStart;
    const part = shared / Math.max(word.length, candidate.length);
    if ((part >= alikePart || isWhole) && part > (best?.part ?? 0)) best = { word: candidate, part };
  }
  return best === undefined ? [] : words.get(best.word)!;
}

export function isListed(word: string): boolean {
  return dictionary().words.has(word);
}

const speller = memoized(() =>
  createSpeller(
    new Map(
      dictionary()
        .words.keys()
        .map((word) => [word, 1]),
    ),
  ),
);

/** What a mistyped word of another language means in English. */
export function correctForeign(word: string): readonly string[] {
  return speller()
    .correct(word)
    .flatMap((known) => translateWord(known));
}

/** The phrases of the dictionary become one word each, and text without spaces is split at the words that are known. */
export function joinPhrases(words: readonly string[]): ReadWord[] {
  const { phrases } = dictionary();
  const used = new Set<number>();
  const read: ReadWord[] = [];
  for (const [start, word] of words.entries()) {
    if (used.has(start)) continue;
    if (unspaced.test(word)) {
      read.push(...splitUnspaced(word));
      continue;
    }
    const found = (phrases.get(word) ?? [])
      .map((phrase) => ({ phrase, places: placesOf(phrase, words, start) }))
      .filter(({ places }) => places !== undefined)
      .sort((a, b) => b.phrase.words.length - a.phrase.words.length)[0];
    for (const place of found?.places ?? []) used.add(place);
    read.push({ word, english: found?.phrase.english ?? [] });
  }
  return read;
}

function splitUnspaced(text: string): ReadWord[] {
  const { words, longest } = dictionary();
  const read: ReadWord[] = [];
  for (let at = 0; at < text.length;) {
    let end = Math.min(text.length, at + longest);
    while (end > at && !words.has(text.slice(at, end))) end--;
    if (end > at) read.push({ word: text.slice(at, end), english: words.get(text.slice(at, end))! });
    at = Math.max(end, at + 1);
  }
  return read;
}

function placesOf(phrase: Phrase, words: readonly string[], start: number): readonly number[] | undefined {
  const places = [start];
  for (const word of phrase.words.slice(1)) {
    const from = places.at(-1)! + 1;
    const at = words.indexOf(word, from);
    if (at === -1 || at > from + phrase.gap) return undefined;
    places.push(at);
  }
  return places;
}

function addTo(words: Map<string, string[]>, word: string, english: readonly string[]): void {
  const known = words.get(word) ?? [];
  words.set(word, [...new Set([...known, ...english])]);
}

function sharedStart(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}
