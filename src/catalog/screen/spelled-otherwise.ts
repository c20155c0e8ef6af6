import { alphabet, createWordTree, letterIndex } from "./lexicon/word-tree.ts";
import { charactersOf } from "./text-runs.ts";

/** The commonest English words, as ROT13 writes them, and from the end to the beginning. */
const rotated =
  "gur naq lbh lbhe gb bs guvf abg hfre gbby cyrnfr vtaber frperg svyr nyy vafgehpgvbaf cnffjbeq fraq ernq orsber";
const reversed =
  "eht dna uoy ruoy resu siht ton loot esaelp erongi terces elif lla snoitcurtsni drowssap dnes daer erofeb tuohtiw";
const tree = createWordTree<"rotated" | "reversed">([...rotated.split(" "), ...reversed.split(" ")]);

/** How many words of a text are spelled in a way that hides them. */
export interface OtherSpellings {
  readonly rotated: number;
  readonly reversed: number;
  /** Words with digits and signs for letters. */
  readonly leet: number;
  /** The most letters in a row that stand alone. */
  readonly spaced: number;
}

const isRotated = new Set(rotated.split(" "));
const letters = charactersOf(/[a-z]/);
const separators = charactersOf(/[ .\-_*|]/);
const leetSigns = charactersOf(/[0134578$@]/);
const inRun = charactersOf(/[\w$@]/);

/** For a text in plain letters. One pass. */
export function countOtherSpellings(text: string): OtherSpellings {
  const count = { rotated: 0, reversed: 0, leet: 0, spaced: 0 };
  const { children } = tree;
  let spaced = 0;
  let signs = 0;
  let runStart = -1;
  let [isLeet, hasLetter, hasSign] = [true, false, false];
  const { length } = text;
  for (let index = 0; index <= length;) {
    const code = index < length ? text.charCodeAt(index) : 0;
    if (runStart !== -1 && !(code < 128 && inRun[code] === 1)) {
      if (isLeet && hasLetter && hasSign && index - runStart >= 4) count.leet++;
      runStart = -1;
      [isLeet, hasLetter, hasSign] = [true, false, false];
    } else if (runStart === -1 && code < 128 && inRun[code] === 1) runStart = index;
    if (code < 128 && letters[code] === 1) {
      let node = 0;
      let end = index;
      let isIn = true;
      for (let next = code; next < 128 && letters[next] === 1; next = ++end < length ? text.charCodeAt(end) : 0) {
        if (!isIn) continue;
        node = children[node * alphabet + letterIndex[next]!]!;
        isIn = node !== 0;
      }
      if (isIn && end - index > 1) {
        const word = text.slice(index, end);
        if (isRotated.has(word)) count.rotated++;
        else if (isReversed.has(word)) count.reversed++;
      }
      hasLetter = true;
      spaced = end - index === 1 && signs > 0 && signs < 3 ? spaced + 1 : end - index === 1 ? 1 : 0;
      if (spaced > count.spaced) count.spaced = spaced;
      signs = 0;
      index = end;
      continue;
    }
    if (runStart !== -1) {
      if (leetSigns[code] === 1) hasSign = true;
      else isLeet = false;
    }
    if (code < 128 ? separators[code] === 1 : code === 0xb7) signs++;
    else {
      signs = 0;
      // Letters of other scripts stand alone, or they do not.
      spaced = code < 128 ? 0 : spaced + 1;
      if (spaced > count.spaced) count.spaced = spaced;
    }
    index++;
  }
  return count;
}

const isReversed = new Set(reversed.split(" "));
