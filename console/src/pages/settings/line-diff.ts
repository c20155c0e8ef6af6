const contextLines = 2;
/** Beyond this many cells the middle is shown as replaced: comparing it would stop the page. */
const mostCells = 4_000_000;

/** What changes from one text to another, in lines that begin with `+`, `-` or a space. */
export function lineDiff(before: string, after: string): string {
  const marks = compare(before.split("\n"), after.split("\n"));
  const isNear = marks.map((_, at) =>
    marks.slice(Math.max(0, at - contextLines), at + contextLines + 1).some(([mark]) => mark !== " "),
  );
  const lines: string[] = [];
  for (const [at, [mark, text]] of marks.entries()) {
    if (isNear[at] === true) lines.push(`${mark} ${text}`);
    else if (isNear[at - 1] === true) lines.push("  …");
  }
  return lines.join("\n");
}

type Marked = readonly ["+" | "-" | " ", string];

function compare(old: readonly string[], now: readonly string[]): readonly Marked[] {
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < old.length - head && tail < now.length - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++;
  const same = (lines: readonly string[]): Marked[] => lines.map((text) => [" ", text]);
  return [
    ...same(old.slice(0, head)),
    ...middle(old.slice(head, old.length - tail), now.slice(head, now.length - tail)),
    ...same(tail === 0 ? [] : old.slice(-tail)),
  ];
}

/** The longest common lines stay; what is between them was removed or added. */
function middle(old: readonly string[], now: readonly string[]): readonly Marked[] {
  const cut = (lines: readonly string[]): Marked[] => lines.map((text) => ["-", text]);
  const add = (lines: readonly string[]): Marked[] => lines.map((text) => ["+", text]);
  if (old.length * now.length > mostCells) return [...cut(old), ...add(now)];
  const width = now.length + 1;
  const common = new Uint32Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = now.length - 1; j >= 0; j--)
      common[i * width + j] =
        old[i] === now[j]
          ? common[(i + 1) * width + j + 1]! + 1
          : Math.max(common[(i + 1) * width + j]!, common[i * width + j + 1]!);
  const marks: Marked[] = [];
  let [i, j] = [0, 0];
  while (i < old.length && j < now.length) {
    if (old[i] === now[j]) {
      marks.push([" ", old[i]!]);
      i++;
      j++;
    } else if (common[(i + 1) * width + j]! >= common[i * width + j + 1]!) marks.push(["-", old[i++]!]);
    else marks.push(["+", now[j++]!]);
  }
  return [...marks, ...cut(old.slice(i)), ...add(now.slice(j))];
}
