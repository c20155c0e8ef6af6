import { readWords, type Word } from "./lexicon/read-words.ts";
import { type Reading, revealText } from "./reveal-text.ts";

/** A reading of a text with the words that mean something to the rules. */
export interface ReadText extends Reading {
  readonly words: readonly Word[];
}

/** Definitions repeat their texts, and several rules read each of them. */
const known = new Map<string, readonly ReadText[]>();
const maxKnown = 8000;
const longestKnown = 16_384;

export function readScreenedText(text: string): readonly ReadText[] {
  const before = known.get(text);
  if (before !== undefined) return before;
  const readings = revealText(text).map((reading) => ({ ...reading, words: readWords(reading.text) }));
  if (text.length > longestKnown) return readings;
  if (known.size >= maxKnown) known.clear();
  known.set(text, readings);
  return readings;
}
