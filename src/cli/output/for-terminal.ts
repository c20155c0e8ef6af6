import { stripVTControlCharacters } from "node:util";

/** Text from outside for `stream`: on a terminal, whatever could command it goes. Line breaks and tabs stay. */
export function forTerminal(text: string, stream: { readonly isTTY?: boolean }): string {
  return stream.isTTY === true ? stripVTControlCharacters(text).replaceAll(/[^\P{Cc}\n\t]/gu, "") : text;
}
