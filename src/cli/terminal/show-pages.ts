import type { World } from "../../core/process/world.ts";
import { textWidth } from "../output/text-width.ts";
import { readLine } from "./read-line.ts";

type Terminal = Pick<World, "stdin" | "stderr">;

/** Whether the user saw all of it, refused before the end, or was not there any longer. */
export type PagesOutcome = "shown" | "refused" | "gone";

/**
 * Shows a text that the user decides about: in pages if it is longer than the screen, so that the question after it comes
 * when the end was shown. The text must not have control characters other than line breaks.
 */
export async function showPages(
  { stdin, stderr }: Terminal,
  text: string,
  signal?: AbortSignal,
): Promise<PagesOutcome> {
  // A terminal that was never told its size says 0.
  const rows = rowsOf(text, stderr.columns || 80);
  // Two rows are for the question.
  const perPage = Math.max(5, (stderr.rows || 24) - 2);
  const pages = Math.ceil(rows.length / perPage);
  for (let page = 1; page < pages; page++) {
    const shown = rows.slice((page - 1) * perPage, page * perPage).join("");
    const prompt = `(page ${page} of ${pages}: Enter = next page, a = all of it, n = no) `;
    stderr.write(`${shown}${shown.endsWith("\n") ? "" : "\n"}${prompt}`);
    for (;;) {
      const typed = (await readLine(stdin, signal))?.trim().toLowerCase();
      if (typed === undefined) return "gone";
      if (typed === "n" || typed === "no") return "refused";
      if (typed === "a" || typed === "all") {
        stderr.write(rows.slice(page * perPage).join(""));
        return "shown";
      }
      if (typed === "") break;
      stderr.write(`You can answer after the last page. ${prompt}`);
    }
  }
  stderr.write(rows.slice(Math.max(0, pages - 1) * perPage).join(""));
  return "shown";
}

/** The rows that the text takes on the screen; those that end a line have their line break. */
function rowsOf(text: string, columns: number): readonly string[] {
  return text.split("\n").flatMap((line) => {
    const rows = /^[ -~]*$/.test(line) ? slicesOf(line, columns) : wideRowsOf(line, columns);
    return [...rows.slice(0, -1), `${rows.at(-1) ?? ""}\n`];
  });
}

function slicesOf(line: string, columns: number): readonly string[] {
  const rows: string[] = [];
  for (let from = 0; from < line.length; from += columns) rows.push(line.slice(from, from + columns));
  return rows;
}

function wideRowsOf(line: string, columns: number): readonly string[] {
  const rows: string[] = [];
  let row = "";
  let used = 0;
  for (const character of line) {
    const width = textWidth(character);
    if (used + width > columns) {
      rows.push(row);
      row = "";
      used = 0;
    }
    row += character;
    used += width;
  }
  return [...rows, row];
}
