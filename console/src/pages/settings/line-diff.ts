import { compareLines } from "../../../../src/core/text/compare-lines.ts";

const contextLines = 2;
/** Beyond this many cells the middle is shown as replaced: comparing it would stop the page. */
const maxCells = 4_000_000;

/** What changes from one text to another, in lines that begin with `+`, `-` or a space. */
export function lineDiff(before: string, after: string): string {
  const marks = compareLines(before.split("\n"), after.split("\n"), maxCells);
  const isShown = marks.map((_, at) =>
    marks.slice(Math.max(0, at - contextLines), at + contextLines + 1).some(({ mark }) => mark !== " "),
  );
  const lines: string[] = [];
  for (const [at, { mark, text }] of marks.entries()) {
    if (isShown[at] === true) lines.push(`${mark} ${text}`);
    else if (isShown[at - 1] === true) lines.push("  …");
  }
  return lines.join("\n");
}
