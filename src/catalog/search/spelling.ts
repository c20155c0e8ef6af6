import { isEnglishWord, stemWord } from "./words.ts";

/** Finds the known words that an unknown one was probably meant to be. */
export interface Speller {
  knows(word: string): boolean;
  /** The word itself if it is known; else its nearest neighbours, the two parts of a compound, or nothing. */
  correct(word: string): readonly string[];
}

/** Words with how often they occur: of two neighbours that are equally near, the more frequent one is meant. */
export function createSpeller(known: ReadonlyMap<string, number>): Speller {
  const stems = new Set(Array.from(known.keys(), stemWord));
  const byLength = new Map<number, string[]>();
  for (const word of known.keys()) {
    const same = byLength.get(word.length);
    if (same === undefined) byLength.set(word.length, [word]);
    else same.push(word);
  }
  return {
    knows: (word) => known.has(word),
    correct(word) {
      if (known.has(word) || word.length < 3 || /\d/.test(word) || stems.has(stemWord(word))) return [word];
      if (isEnglishWord(word)) return [];
      const parts = splitCompound(word, known);
      if (parts !== undefined) return parts;
      const allowed = word.length < 7 ? 1 : 2;
      let nearest: { word: string; distance: number; count: number }[] = [];
      for (let length = word.length - allowed; length <= word.length + allowed; length++) {
        for (const candidate of byLength.get(length) ?? []) {
          if (candidate.length < 3) continue;
          const distance = editDistance(word, candidate, allowed);
          if (distance <= allowed) nearest.push({ word: candidate, distance, count: known.get(candidate)! });
        }
      }
      const best = Math.min(...nearest.map(({ distance }) => distance));
      nearest = nearest.filter(({ distance }) => distance === best).sort((a, b) => b.count - a.count);
      return nearest.slice(0, 2).map((found) => found.word);
    },
  };
}

/** German writes two words as one, sometimes with an s or n between them. */
export function splitCompound(word: string, known: ReadonlyMap<string, unknown>): string[] | undefined {
  for (let at = word.length - 4; at >= 4; at--) {
    const head = word.slice(0, at);
    const tail = word.slice(at);
    if (!known.has(tail)) continue;
    const first = [head, head.replace(/[sn]$/, ""), `${head}e`].find((form) => known.has(form));
    if (first !== undefined) return [first, tail];
  }
  return undefined;
}

/** Optimal string alignment: a swap of neighbours is one mistake, since that is how people mistype. */
export function editDistance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    let least = row;
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let cost = Math.min(last[column]! + 1, current[column - 1]! + 1, last[column - 1]! + (same ? 0 : 1));
      const isSwap = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (isSwap) cost = Math.min(cost, beforeLast[column - 2]! + 1);
      current.push(cost);
      least = Math.min(least, cost);
    }
    if (least > most) return most + 1;
    beforeLast = last;
    last = current;
  }
  return last[b.length]!;
}
