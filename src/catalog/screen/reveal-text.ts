import { plainLetters } from "./plain-letters.ts";
import { countOtherSpellings } from "./spelled-otherwise.ts";
import { decodedIn } from "./decode-runs.ts";
import { partsBetween } from "./text-runs.ts";

/** One reading of a text. What a person would not see, or not read as words, is a reading of its own. */
export interface Reading {
  /** How the words came to light. */
  readonly via: "plain" | Disguise;
  /** As the rules read it: plain letters, without hidden characters. */
  readonly text: string;
}

export type Disguise =
  | "invisible characters"
  | "look-alike letters"
  | "character references"
  | "escapes"
  | "base64"
  | "hex"
  | "ROT13"
  | "digits for letters"
  | "reversed letters"
  | "spaced letters"
  | "a comment"
  | "hidden markup";

const maxReadings = 12;

/** Every reading of a text, the plain one first. Each step reads the text once. */
export function revealText(text: string): readonly Reading[] {
  // oxlint-disable-next-line no-control-regex
  const isAscii = /^[\x00-\x7f]*$/.test(text);
  const shown = isAscii ? text : withoutInvisible(text);
  const readings: Reading[] = [{ via: "plain", text: plainLetters(shown) }];
  const add = (via: Disguise, found: string): void => {
    if (found.length > 7 && readings.length < maxReadings) readings.push({ via, text: plainLetters(found) });
  };
  if (!isAscii) {
    add("invisible characters", invisibleMessage(text));
    const latin = withLatinLetters(shown);
    if (latin !== shown) add("look-alike letters", latin);
  }
  for (const comment of commentsIn(shown)) add("a comment", comment);
  if (shown.includes("<") && hidingWords.test(shown))
    for (const part of hiddenMarkupIn(shown)) add("hidden markup", part);
  if (shown.includes("&")) addChanged("character references", shown, decodeReferences(shown), add);
  if (shown.includes("\\") || shown.includes("%")) addChanged("escapes", shown, decodeEscapes(shown), add);
  for (const decoded of decodedIn(shown)) add(decoded.via, decoded.text);
  const plain = readings[0]!.text;
  const otherwise = countOtherSpellings(plain);
  if (otherwise.rotated >= 3) add("ROT13", rot13(plain));
  if (otherwise.reversed >= 3 || (!isAscii && /[\u202d\u202e]/.test(text)))
    add("reversed letters", Array.from(plain).toReversed().join(""));
  if (otherwise.leet >= 4)
    add(
      "digits for letters",
      plain.replaceAll(/[013457$@!]/g, (sign) => leet[sign]!),
    );
  if (otherwise.spaced >= 7 && spaced.test(plain))
    add(
      "spaced letters",
      plain.replaceAll(spacedRuns, (run) => joinSpaced(run)),
    );
  return readings;
}

function addChanged(via: Disguise, before: string, after: string, add: (via: Disguise, text: string) => void): void {
  if (after !== before) add(via, after);
}

const invisible =
  // oxlint-disable-next-line no-misleading-character-class
  /[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ue000-\uf8ff\u{e0000}-\u{e0fff}\u{f0000}-\u{10fffd}]/gu;

export const withoutInvisible = (text: string): string => text.replaceAll(invisible, "");

/** Tag characters and variation selectors spell letters; zero-width characters spell bits. */
function invisibleMessage(text: string): string {
  let tags = "";
  let selectors = "";
  let bits = "";
  for (const match of text.matchAll(invisible)) {
    const code = match[0].codePointAt(0)!;
    if (code > 0xe001f && code < 0xe007f) tags += String.fromCharCode(code - 0xe0000);
    else if (code >= 0xe0100 && code <= 0xe01ef) selectors += String.fromCharCode(code - 0xe0100 + 16);
    else if (code === 0x200b || code === 0x2062) bits += "0";
    else if (code === 0x200c || code === 0x2063) bits += "1";
    else if (code >= 0xe020 && code <= 0xe07e) tags += String.fromCharCode(code - 0xe000);
  }
  if (tags !== "" || selectors !== "") return tags + selectors;
  return bits.length < 64
    ? ""
    : (bits.match(/.{8}/g) ?? []).map((byte) => String.fromCharCode(parseInt(byte, 2))).join("");
}

/** Cyrillic, Greek and other letters that look like Latin ones. */
const lookAlikes: Readonly<Record<string, string>> = {
  а: "a",
  е: "e",
  о: "o",
  р: "p",
  с: "c",
  х: "x",
  у: "y",
  к: "k",
  м: "m",
  т: "t",
  н: "h",
  в: "b",
  і: "i",
  ј: "j",
  ѕ: "s",
  ԁ: "d",
  ɡ: "g",
  һ: "h",
  ӏ: "l",
  ո: "n",
  ս: "u",
  ν: "v",
  ο: "o",
  α: "a",
  ε: "e",
  ι: "i",
  κ: "k",
  ρ: "p",
  τ: "t",
  υ: "u",
  χ: "x",
  А: "A",
  В: "B",
  Е: "E",
  К: "K",
  М: "M",
  Н: "H",
  О: "O",
  Р: "P",
  С: "C",
  Т: "T",
  Х: "X",
  У: "Y",
  І: "I",
  Ѕ: "S",
  Α: "A",
  Β: "B",
  Ε: "E",
  Ζ: "Z",
  Η: "H",
  Ι: "I",
  Κ: "K",
  Μ: "M",
  Ν: "N",
  Ο: "O",
  Ρ: "P",
  Τ: "T",
  Χ: "X",
  ɑ: "a",
  ᴀ: "a",
  ꞓ: "c",
  ⅼ: "l",
  ⅰ: "i",
  օ: "o",
  ց: "g",
  ԛ: "q",
  ԝ: "w",
  ѵ: "v",
  ɩ: "i",
  ł: "l",
};

/** Only words that mix scripts: a text in Russian stays as it is. */
const mixedWord = /(?=\p{L}*[a-zA-Z])\p{L}*[\u0370-\u058f]\p{L}*/gu;

export function withLatinLetters(text: string): string {
  if (!/[a-zA-Z][\u0370-\u058f]|[\u0370-\u058f][a-zA-Z]/.test(text)) return text;
  return text.replaceAll(mixedWord, latinOf);
}

/** The text as it looks: each letter replaced with the Latin one that it could be taken for. */
export const latinOf = (text: string): string =>
  text.replaceAll(/[\u0250-\u058f\u1d00-\u1d7f\u2150-\u218f\ua7a0-\ua7ff]/g, (letter) => lookAlikes[letter] ?? letter);

const maxComments = 8;

function commentsIn(text: string): string[] {
  const found: string[] = [];
  const isFull = (comments: Iterable<string>): boolean => {
    for (const comment of comments) if (found.push(comment) >= maxComments) return true;
    return false;
  };
  if (text.includes("<!--") && isFull(partsBetween(text, "<!--", "-->", { min: 8, max: 4000, isOpen: true })))
    return found;
  if ((text.includes("{%") || text.includes("{#")) && isFull(firstGroups(text, templateComment))) return found;
  if (text.includes("/*") && isFull(partsBetween(text, "/*", "*/", { min: 8, max: 2000 }))) return found;
  if (text.includes("]:")) isFull(firstGroups(text, linkComment));
  return found;
}

const templateComment = /\{[%#]\s{0,3}(?:comment)?\s{0,3}[%#]?\}?([^]{8,2000}?)\{?[%#]/g;
const linkComment = /^\[(?:\/\/|comment|\/\/\/)\]: ?(?:#|<>) ?["'(]([^\n]{8,2000})/gm;

function* firstGroups(text: string, pattern: RegExp): Generator<string, void, undefined> {
  for (const [, inside = ""] of text.matchAll(pattern)) yield inside;
}

const hidingWords = /display|visibility|font-size|opacity|color|left|hidden/i;
const hidingStyle =
  /<[a-z]{1,12}\b[^>]{0,300}(?:display\s{0,3}:\s{0,3}none|visibility\s{0,3}:\s{0,3}hidden|font-size\s{0,3}:\s{0,3}[01](?:px|pt|em)?\b|opacity\s{0,3}:\s{0,3}0(?![.\d]*[1-9])|color\s{0,3}:\s{0,3}(?:white|#fff(?:fff)?|transparent)|left\s{0,3}:\s{0,3}-\d{3,}|aria-hidden="true"|\bhidden\b)[^>]{0,300}>([^<]{8,4000})/gi;

function hiddenMarkupIn(text: string): string[] {
  return [...text.matchAll(hidingStyle)].slice(0, 8).map(([, inside = ""]) => inside);
}

const references: Readonly<Record<string, string>> = {
  lt: "<",
  gt: ">",
  amp: "&",
  quot: '"',
  apos: "'",
  nbsp: " ",
  period: ".",
  comma: ",",
  colon: ":",
  sol: "/",
};

function decodeReferences(text: string): string {
  return text.replaceAll(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}));/gi,
    (whole, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return references[name.toLowerCase()] ?? whole;
      return characterOf(decimal === undefined ? parseInt(hex!, 16) : Number(decimal), whole);
    },
  );
}

function decodeEscapes(text: string): string {
  return text
    .replaceAll(/\\u\{?([\da-f]{4,6})\}?|\\x([\da-f]{2})/gi, (whole, unicode?: string, byte?: string) =>
      characterOf(parseInt(unicode ?? byte!, 16), whole),
    )
    .replaceAll(/(?:%[\da-f]{2}){3,}/gi, (run) => {
      try {
        return decodeURIComponent(run);
      } catch {
        return run;
      }
    });
}

const characterOf = (code: number, otherwise: string): string =>
  code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : otherwise;

const rot13 = (text: string): string =>
  text.replaceAll(/[a-z]/g, (letter) => String.fromCharCode(((letter.charCodeAt(0) - 97 + 13) % 26) + 97));

const leet: Readonly<Record<string, string>> = {
  "0": "o",
  "1": "i",
  "3": "e",
  "4": "a",
  "5": "s",
  "7": "t",
  $: "s",
  "@": "a",
  "!": "i",
};

const spaced = /(?:(?<![\p{L}\p{N}])\p{L}[ .\-_*|·]{1,2}){6,}\p{L}(?![\p{L}\p{N}])/u;
const spacedRuns = /(?:(?<![\p{L}\p{N}])\p{L}[ .\-_*|·]{1,2}){4,}\p{L}(?![\p{L}\p{N}])/gu;

/** Two separators in a row part words. */
const joinSpaced = (run: string): string =>
  run
    .replaceAll(/[ .\-_*|·]{2}/g, "\n")
    .replaceAll(/[ .\-_*|·]/g, "")
    .replaceAll("\n", " ");
