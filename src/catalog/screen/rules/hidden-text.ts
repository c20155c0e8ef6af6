import { isAnyOf, meaningOf } from "../lexicon/lexicon.ts";
import { readWords } from "../lexicon/read-words.ts";
import { plainLetters } from "../plain-letters.ts";
import { charactersOf, hasLongRun, partsBetween } from "../text-runs.ts";
import type { Hit } from "./structure.ts";

const tags = /[\u{e0020}-\u{e007e}]{3,}|[\u{e0100}-\u{e01ef}]{3,}/u;
const privateUse = /[\ue000-\uf8ff\u{f0000}-\u{10fffd}]{6,}/u;
const direction = /[\u202d\u202e\u2066-\u2068]/;
const between = /(?:\w[\u200b\u2060\ufeff\u200c\u200d]){3,}|[\u200b-\u200d\u2060-\u2064\ufeff]{8,}/;

/** The characters of these patterns; the last ones are the first halves of those beyond 16 bits. */
const mayHide = /[\u200b-\u200d\u202d\u202e\u2060-\u2068\ue000-\uf8ff\ufeff\udb40-\udbff]/;

/** Characters that a person does not see and a model reads. */
export function findHiddenCharacters(text: string): Hit | undefined {
  if (!mayHide.test(text)) return undefined;
  for (const pattern of [tags, privateUse, direction, between]) {
    const match = pattern.exec(text);
    if (match === null) continue;
    const isFlag = pattern === tags && text.slice(0, match.index).endsWith("\u{1f3f4}");
    // These are removed from texts, and then say what they look like.
    const severity = pattern === direction ? { severity: "note" as const } : {};
    if (!isFlag) return { start: match.index, end: match.index + match[0].length, ...severity };
  }
  return undefined;
}

const personal = meaningOf(
  "ai",
  "you",
  "user",
  "secret",
  "secretfile",
  "system",
  "history",
  "personal",
  "url",
  "address",
  "covert",
  "hide",
  "tool",
  "thistool",
  "ignore",
  "rules",
);
const markup =
  /^\[(?:\/\/|comment)\]: ?(?:#|<>) ?["'(]([^\n]{12,2000})|<[a-z]{1,12}\b[^>]{0,300}(?:display\s{0,3}:\s{0,3}none|visibility\s{0,3}:\s{0,3}hidden|font-size\s{0,3}:\s{0,3}[01](?:px|pt|em)?\b|opacity\s{0,3}:\s{0,3}0["';\s]|color\s{0,3}:\s{0,3}(?:white|#fff|transparent))[^>]{0,300}>([^<]{12,4000})/im;
const gap = /\S[ \t\u00a0]{200,}\S|\S(?:[ \t]{0,80}\r?\n){25,}[ \t]{0,80}\S/;

const blanks = charactersOf(/[ \t\r\n]/);
const wideSpace = /\u00a0/;

/** In code, comments are for people. One that speaks to a model is not. */
function findComment(text: string): Hit | undefined {
  for (const inside of partsBetween(text, "/*", "*/", { min: 12, max: 2000 })) {
    if (!/^\s{0,4}(?:ai|llm|model|assistant|agent|bot|ki|ia)\b/i.test(inside)) return undefined;
    const start = text.indexOf(`/*${inside}*/`);
    return { start, end: start + inside.length + 4 };
  }
  return undefined;
}

/** Parts of a text that a page or an editor does not show. */
export function findHiddenSection(text: string): Hit | undefined {
  const spoken = findComment(text);
  if (spoken !== undefined) return spoken;
  const wide = hasLongRun(text, blanks, 25) || wideSpace.test(text) ? gap.exec(text) : null;
  if (wide !== null) return { start: wide.index, end: Math.min(text.length, wide.index + wide[0].length + 80) };
  const comment = text.includes("<!--") ? findHtmlComment(text) : undefined;
  const match = text.includes("<") || text.includes("[") ? markup.exec(text) : null;
  const isComment = comment !== undefined && (match === null || comment.start < match.index);
  if (isComment) return speaks(text.slice(comment.start + 4, comment.end)) ? comment.whole : undefined;
  if (match === null || !speaks(match[1] ?? match[2] ?? "")) return undefined;
  return { start: match.index, end: match.index + match[0].length };
}

/** Ends with its mark, or with its line. Each mark and each end of a line is looked for once. */
function findHtmlComment(text: string): { start: number; end: number; whole: Hit } | undefined {
  let [close, line] = [-1, -1];
  for (let start = text.indexOf("<!--"); start !== -1; start = text.indexOf("<!--", start + 1)) {
    const from = start + 4 + 12;
    if (from > text.length) return undefined;
    if (close < from) close = indexOrEnd(text.indexOf("-->", from), Infinity);
    if (line < from) {
      lineEnd.lastIndex = from;
      line = indexOrEnd(lineEnd.exec(text)?.index ?? -1, text.length);
    }
    const end = Math.min(close, line);
    if (end - start - 4 <= 4000) return { start, end, whole: { start, end: close < line ? end + 3 : end } };
  }
  return undefined;
}

const lineEnd = /[\n\r\u2028\u2029]/g;
const indexOrEnd = (index: number, end: number): number => (index === -1 ? end : index);

function speaks(inside: string): boolean {
  const words = readWords(plainLetters(inside));
  return words.length >= 3 && words.some(({ meaning }) => isAnyOf(meaning, personal));
}
