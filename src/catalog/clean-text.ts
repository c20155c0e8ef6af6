/**
 * Removes what a person would not see but a model would read, and what a terminal would obey: control characters,
 * escape sequences, zero-width, direction and tag characters. Line breaks and tabs stay, and so do joiners and variation
 * selectors where a script or an emoji needs them.
 */
export function cleanText(text: string): string {
  if (isPlain.test(text)) return text;
  return text
    .replace(escapeSequence, "")
    .replace(hidden(), (character, at: number, whole: string) => (isNeeded(character, at, whole) ? character : ""));
}

export function hasHiddenText(text: string): boolean {
  return cleanText(text) !== text;
}

/** Whether a text that was made by `JSON.stringify` may hold hidden characters. Control characters are escaped there. */
export function mayHaveHiddenText(json: string): boolean {
  return notPlainJson.test(json);
}

const isPlain = /^[\n\t\x20-\x7e]*$/;
const notPlainJson = /[^\x20-\x7e]|\\u00|\\[bfr]/;

/** Of a terminal: colours, cursor movements, window titles, links. No part can match in two ways, so this is linear. */
const escapeSequence =
  // oxlint-disable-next-line no-control-regex
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b\]|\u009d)[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)/g;

// Patterns with Unicode properties are made when a text needs them: making these takes two milliseconds.

/** Control characters, everything that Unicode says is not to be shown, and marks that set text aside as a comment. */
const hidden = (): RegExp => /[^\P{Cc}\n\t]|[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu;

const joiners = /^[\u200c\u200d]$/;
const beforeEmojiJoiner = (): RegExp => /^[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f]$/u;
const emoji = (): RegExp => /^\p{Extended_Pictographic}$/u;
/** Their letters change shape, or join, at a joiner. */
const joiningScripts =
  "Arabic Syriac Mandaic Nko Mongolian Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala " +
  "Khmer Myanmar Tibetan Balinese Javanese";
let joiningLetters: RegExp | undefined;
const joiningLetter = (): RegExp =>
  (joiningLetters ??= new RegExp(
    `^[${joiningScripts.replaceAll(/\w+ ?/g, (name) => `\\p{scx=${name.trim()}}`)}]$`,
    "u",
  ));
const mark = (): RegExp => /^\p{M}$/u;

const variationSelector = /^[\ufe00-\ufe0f]$/;
const ideographSelector = /^[\u{e0100}-\u{e01ef}]$/u;
const mongolianSelector = /^[\u180b-\u180d\u180f]$/;
/** What has variants: symbols, ideographs, and the keys of a telephone; never a Latin letter, a space or another selector. */
const hasVariants = (): RegExp => /^[0-9#*]$|^[^\p{Default_Ignorable_Code_Point}\p{ASCII}\s]$/u;

function isNeeded(character: string, at: number, text: string): boolean {
  const before = characterBefore(text, at);
  if (joiners.test(character)) return isNeededJoiner(character, before, characterAt(text, at + 1));
  if (variationSelector.test(character)) return hasVariants().test(before);
  if (ideographSelector.test(character)) return /^\p{Script=Han}$/u.test(before);
  return mongolianSelector.test(character) && /^\p{Script=Mongolian}$/u.test(before);
}

function isNeededJoiner(joiner: string, before: string, after: string): boolean {
  const isJoin = joiner === "\u200d";
  if (isJoin && beforeEmojiJoiner().test(before)) return emoji().test(after);
  if (!joiningLetter().test(before)) return false;
  // At the end of a word a joiner after a virama makes a letter of its own.
  return joiningLetter().test(after) || (isJoin && mark().test(before) && !joiners.test(after));
}

function characterAt(text: string, at: number): string {
  const code = text.codePointAt(at);
  return code === undefined ? "" : String.fromCodePoint(code);
}

function characterBefore(text: string, at: number): string {
  const isPair = at >= 2 && /^[\udc00-\udfff]$/.test(text[at - 1]!) && /^[\ud800-\udbff]$/.test(text[at - 2]!);
  return text.slice(at - (isPair ? 2 : 1), at);
}
