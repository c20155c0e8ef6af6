import { stripVTControlCharacters } from "node:util";
import { redactText } from "../secrets/redact.ts";

/** Text from a peer or a person for use in a message: on one line, in quotes, of bounded length. */
export function quoted(text: string, maxLength = 200): string {
  return JSON.stringify(text.slice(0, maxLength));
}

/** `redactText` looks at no more than this. */
const maxRedacted = 8192;

/** Text from a peer for use in a message. Secrets are masked before it is cut, since half a key does not look like one. */
export function quotedPeerText(text: string, maxLength = 200): string {
  return quoted(redactText(text), maxLength);
}

/** The last lines of a peer's output, as many as fit: they usually say why it ended. */
export function quotedPeerTail(text: string, maxLength: number): string {
  const [first = "", ...more] = redactText(text.slice(-maxRedacted)).split(/[\n\r]+/);
  // The first line may have lost its beginning, and with it what makes a key recognizable.
  const isCut = text.length > maxRedacted && more.length > 0;
  const lines = (isCut ? more : [first, ...more]).map((line) => line.trim()).filter((line) => line !== "");
  let tail = lines.pop() ?? "";
  if (tail.length > maxLength) return JSON.stringify(`…${lastWords(tail, maxLength)}`);
  for (const line of lines.toReversed()) {
    if (line.length + tail.length + 3 > maxLength) break;
    tail = `${line} / ${tail}`;
  }
  return quoted(tail, maxLength);
}

/** Begins at a word, if there is more than one. */
function lastWords(line: string, maxLength: number): string {
  const end = line.slice(-maxLength);
  return end.slice(end.indexOf(" ") + 1);
}

/**
 * Control characters (a terminal would obey them), direction marks, and characters without a shape of their own: in a
 * text from outside they can hide what a person is about to allow.
 */
const hidden = (): RegExp =>
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\p{Cf}\p{Co}\p{Cn}\p{Cs}\u2028\u2029\u3164\uffa0]/gu;

/** The text with everything invisible spelled out, and of bounded length. Line breaks stay. */
export function visibleText(text: string, longest: number): string {
  const cut = text.length > longest ? text.slice(0, longest) : text;
  const shown = cut.replace(hidden(), spelledOut);
  return text.length > longest ? `${shown}… (${text.length} characters)` : shown;
}

function spelledOut(character: string): string {
  return `\\u{${character.codePointAt(0)!.toString(16)}}`;
}

/**
 * Text from outside made fit for a terminal: escape sequences and line breaks in a client's or tool's name
 * could otherwise move the cursor, rename the window or forge a line of our own.
 */
export function sanitizeLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, "\u00B7");
}

/**
 * Text from outside for `stream`: on a terminal, whatever could command it goes, and characters that turn the direction of
 * writing are spelled out. Line breaks and tabs stay.
 */
export function sanitizeForTerminal(text: string, stream: { readonly isTTY?: boolean }): string {
  if (stream.isTTY !== true) return text;
  return stripVTControlCharacters(text)
    .replaceAll(/[^\P{Cc}\n\t]/gu, "")
    .replaceAll(/\p{Bidi_Control}/gu, spelledOut);
}

/**
 * JSON that a terminal can't obey: `JSON.stringify` leaves C1 controls, direction marks and other invisible characters as
 * they are. They occur in strings only, where an escape means the same.
 */
export function jsonText(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, undefined, indent) as string | undefined;
  return (text ?? "null").replaceAll(/[\u007f-\u009f\p{Cf}\u2028\u2029]/gu, (character) =>
    character.replaceAll(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`),
  );
}
