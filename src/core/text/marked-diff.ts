import { compareLines, type DiffRow } from "./compare-lines.ts";

/**
 * What a text is now, whole and first, with every line that is new marked `+` and new words in a changed line
 * marked `[+…+]`; then the lines that are gone, marked `-`. Both texts come from `shownText` and
 * `shownJson`, which double the backslashes that escape such a mark.
 */
export function markedDiff(before: string, after: string): string {
  const rows = compareLines(before === "" ? [] : before.split("\n"), after.split("\n"), maxLinePairs);
  const now: string[] = [];
  const removed: string[] = [];
  /** In a run of changed rows, the first new line takes the place of the first that is gone, and so on. */
  let run = 0;
  let wordPairs = maxWordPairs;
  for (const [at, { mark, text }] of rows.entries()) {
    if (mark === " " || rows[at - 1]?.mark === " ") run = removed.length;
    if (mark === "-") removed.push(text);
    else if (mark === " ") now.push(`  ${plain(text)}`);
    else {
      const replaced = run < removed.length ? removed[run++] : undefined;
      const words =
        replaced === undefined || wordPairs < 0 ? undefined : { old: wordsOf(replaced), new: wordsOf(text) };
      wordPairs -= words === undefined ? 0 : words.old.length * words.new.length;
      now.push(`+ ${words === undefined || wordPairs < 0 ? plain(text) : markWords(words.old, words.new)}`);
    }
  }
  return [...now, ...(removed.length === 0 ? [] : ["Removed:", ...removed.map((text) => `- ${plain(text)}`)])].join(
    "\n",
  );
}

/** Bound the work of the comparison. What is beyond is marked as new as a whole. */
const maxLinePairs = 1_000_000;
const maxWordPairs = 1_000_000;

/** A text could have marks of its own; backslashes of its own are doubled. */
const plain = (text: string): string => text.replaceAll("[+", String.raw`\[+`).replaceAll("+]", String.raw`+\]`);

/** The words of a changed line, the new ones marked; unmarked if hardly a word has stayed. */
function markWords(before: readonly string[], after: readonly string[]): string {
  const words = compareLines(before, after, maxWordPairs).filter(({ mark }) => mark !== "-");
  if (!words.some(({ mark, text }) => mark === " " && /[\p{L}\p{N}]/u.test(text))) return plain(after.join(""));
  const runs: DiffRow[] = [];
  for (const word of words) {
    const last = runs.at(-1);
    if (last?.mark === word.mark) runs[runs.length - 1] = { ...word, text: last.text + word.text };
    else runs.push(word);
  }
  return runs.map(({ mark, text: run }) => (mark === "+" ? `[+${plain(run)}+]` : plain(run))).join("");
}

const wordsOf = (line: string): readonly string[] => line.match(/[\p{L}\p{N}_]+|\s+|[^]/gu) ?? [];
