/**
 * What a text is now, whole and first, with every line that is new marked `+` and new words in a changed line
 * marked `[+…+]`; then the lines that are gone, marked `-`. Both texts come from `shownText` and
 * `shownJson`, which double the backslashes that escape such a mark.
 */
export function markedDiff(before: string, after: string): string {
  const rows = compare(before === "" ? [] : before.split("\n"), after.split("\n"), maxLinePairs);
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

interface Row {
  readonly mark: " " | "-" | "+";
  readonly text: string;
}

/** Bound the work of the comparison. What is beyond is marked as new as a whole. */
const maxLinePairs = 1_000_000;
const maxWordPairs = 1_000_000;

/** A text could have marks of its own; backslashes of its own are doubled. */
const plain = (text: string): string => text.replaceAll("[+", String.raw`\[+`).replaceAll("+]", String.raw`+\]`);

/** The words of a changed line, the new ones marked; unmarked if hardly a word has stayed. */
function markWords(before: readonly string[], after: readonly string[]): string {
  const words = compare(before, after, maxWordPairs).filter(({ mark }) => mark !== "-");
  if (!words.some(({ mark, text }) => mark === " " && /[\p{L}\p{N}]/u.test(text))) return plain(after.join(""));
  const runs: Row[] = [];
  for (const word of words) {
    const last = runs.at(-1);
    if (last?.mark === word.mark) runs[runs.length - 1] = { ...word, text: last.text + word.text };
    else runs.push(word);
  }
  return runs.map(({ mark, text: run }) => (mark === "+" ? `[+${plain(run)}+]` : plain(run))).join("");
}

const wordsOf = (line: string): readonly string[] => line.match(/[\p{L}\p{N}_]+|\s+|[^]/gu) ?? [];

/** By the longest common subsequence of what lies between the common beginning and end. */
function compare(before: readonly string[], after: readonly string[], maxPairs: number): Row[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head++;
  let tail = 0;
  while (
    tail < before.length - head &&
    tail < after.length - head &&
    before[before.length - 1 - tail] === after[after.length - 1 - tail]
  )
    tail++;
  const same = (text: string): Row => ({ mark: " ", text });
  return [
    ...after.slice(0, head).map(same),
    ...compareMiddle(before.slice(head, before.length - tail), after.slice(head, after.length - tail), maxPairs),
    ...after.slice(after.length - tail).map(same),
  ];
}

function compareMiddle(before: readonly string[], after: readonly string[], maxPairs: number): Row[] {
  const width = after.length + 1;
  const isSmall = before.length * after.length <= maxPairs;
  const common = new Uint32Array(isSmall ? (before.length + 1) * width : 0);
  for (let i = before.length - 1; isSmall && i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      const skip = Math.max(common[(i + 1) * width + j]!, common[i * width + j + 1]!);
      common[i * width + j] = before[i] === after[j] ? common[(i + 1) * width + j + 1]! + 1 : skip;
    }
  }
  const rows: Row[] = [];
  let i = 0;
  let j = 0;
  while (i < before.length || j < after.length) {
    if (isSmall && i < before.length && j < after.length && before[i] === after[j]) {
      rows.push({ mark: " ", text: before[i]! });
      i++;
      j++;
    } else if (
      j >= after.length ||
      (i < before.length && (!isSmall || common[(i + 1) * width + j]! >= common[i * width + j + 1]!))
    ) {
      rows.push({ mark: "-", text: before[i++]! });
    } else {
      rows.push({ mark: "+", text: after[j++]! });
    }
  }
  return rows;
}
