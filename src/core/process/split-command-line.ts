import { Fault } from "../fault.ts";
import { quoted } from "../text/peer-text.ts";

/** Splits words like a shell: at spaces, except within quotes or after a backslash. Nothing is expanded. */
export function splitCommandLine(text: string): readonly string[] {
  const words: string[] = [];
  let word: string | undefined;
  let rest = text;
  while (rest !== "") {
    const [piece, single, double, escaped, plain] =
      /^(?:'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])|([^\s'"\\]+)|\s+)/.exec(rest) ?? [];
    if (piece === undefined) throw new Fault("usage", `A quote is not closed in ${quoted(text)}.`);
    const part = single ?? double?.replaceAll(/\\(["\\$`])/g, "$1") ?? escaped ?? plain;
    if (part !== undefined) word = (word ?? "") + part;
    else if (word !== undefined) {
      words.push(word);
      word = undefined;
    }
    rest = rest.slice(piece.length);
  }
  return word === undefined ? words : [...words, word];
}
