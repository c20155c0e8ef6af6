/** A line, or a word, of two texts: in both, only in the first, or only in the second. */
export interface DiffRow {
  readonly mark: " " | "-" | "+";
  readonly text: string;
}

/** By the longest common subsequence of what lies between the common ends; beyond `maxPairs` all of that is replaced. */
export function compareLines(before: readonly string[], after: readonly string[], maxPairs: number): DiffRow[] {
  const { head, tail } = commonEnds(before, after);
  const same = (text: string): DiffRow => ({ mark: " ", text });
  return [
    ...after.slice(0, head).map(same),
    ...compareMiddle(before.slice(head, before.length - tail), after.slice(head, after.length - tail), maxPairs),
    ...after.slice(after.length - tail).map(same),
  ];
}

/** How many lines are the same at the beginning, and at the end. */
export function commonEnds(before: readonly string[], after: readonly string[]): { head: number; tail: number } {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  return { head, tail };
}

function compareMiddle(before: readonly string[], after: readonly string[], maxPairs: number): DiffRow[] {
  const width = after.length + 1;
  const isSmall = before.length * after.length <= maxPairs;
  const common = new Uint32Array(isSmall ? (before.length + 1) * width : 0);
  for (let i = before.length - 1; isSmall && i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      const skip = Math.max(common[(i + 1) * width + j]!, common[i * width + j + 1]!);
      common[i * width + j] = before[i] === after[j] ? common[(i + 1) * width + j + 1]! + 1 : skip;
    }
  }
  const rows: DiffRow[] = [];
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
