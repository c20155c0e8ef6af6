import { visibleText } from "./visible-text.ts";

const contextLines = 2;
const mostLines = 80;
const longestLine = 200;
/** The table of the comparison has this many lines each way. */
const mostCompared = 500;

type Row = { readonly mark: " " | "-" | "+"; readonly text: string };

/** Two definitions as lines marked `-` and `+` with a little around them, safe to show on a terminal. */
export function pinDiff(before: string, after: string): string {
  const rows = compare(before.split("\n", mostCompared), after.split("\n", mostCompared));
  const changed = rows.map(({ mark }) => mark !== " ");
  if (!changed.includes(true))
    return "No line that was kept has changed: the difference is in spaces, or further down.";
  const shown = rows.map((_, at) =>
    changed.slice(Math.max(0, at - contextLines), at + contextLines + 1).includes(true),
  );
  const lines = rows.flatMap(({ mark, text }, at) => {
    if (!shown[at]) return at === 0 || shown[at - 1] ? ["  …"] : [];
    return [`${mark} ${visibleText(text, longestLine)}`];
  });
  const rest = lines.length - mostLines;
  return (rest > 0 ? [...lines.slice(0, mostLines), `… and ${rest} lines more`] : lines).join("\n");
}

/** By the longest common subsequence. */
function compare(before: readonly string[], after: readonly string[]): Row[] {
  const width = after.length + 1;
  const common = new Uint16Array((before.length + 1) * width);
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      const skip = Math.max(common[(i + 1) * width + j]!, common[i * width + j + 1]!);
      common[i * width + j] = before[i] === after[j] ? common[(i + 1) * width + j + 1]! + 1 : skip;
    }
  }
  const rows: Row[] = [];
  let i = 0;
  let j = 0;
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      rows.push({ mark: " ", text: before[i]! });
      i++;
      j++;
    } else if (j >= after.length || (i < before.length && common[(i + 1) * width + j]! >= common[i * width + j + 1]!)) {
      rows.push({ mark: "-", text: before[i++]! });
    } else {
      rows.push({ mark: "+", text: after[j++]! });
    }
  }
  return rows;
}
