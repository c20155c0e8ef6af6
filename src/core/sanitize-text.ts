import { stripVTControlCharacters } from "node:util";

/**
 * Text from outside made fit for a terminal: escape sequences and line breaks in a client's or tool's name
 * could otherwise move the cursor, rename the window or forge a line of our own.
 */
export function sanitizeLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, "\u00B7");
}

/** Text from outside for `stream`: on a terminal, whatever could command it goes. Line breaks and tabs stay. */
export function sanitizeForTerminal(text: string, stream: { readonly isTTY?: boolean }): string {
  return stream.isTTY === true ? stripVTControlCharacters(text).replaceAll(/[^\P{Cc}\n\t]/gu, "") : text;
}
