import { sanitizeLine } from "../../core/text/peer-text.ts";
import type { Column, Tone } from "../../hub/presentation/presentation.ts";
import type { CommandContext } from "../command-context.ts";
import { cutToWidth, textWidth } from "./text-width.ts";

const gap = "  ";
/** What is left of a column that has to be cut. */
const narrowest = 8;
const colours = { good: "green", weak: "yellow", bad: "red", quiet: "dim" } as const satisfies Record<Tone, string>;

/** Aligned columns under their titles. On a terminal, the widest columns are cut until the lines fit its width. */
export function renderTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { stdout, style }: Pick<CommandContext, "stdout" | "style">,
): string {
  const cells = rows.map((row) => columns.map((column) => sanitizeLine(column.text(row))));
  const wanted = columns.map(({ title }, index) =>
    cells.reduce((width, line) => Math.max(width, textWidth(line[index] ?? "")), textWidth(title)),
  );
  const widths = fitWidths(wanted, (stdout.columns ?? Infinity) - gap.length * (columns.length - 1));
  const renderLine = (line: readonly string[], tones: readonly (Tone | undefined)[] = []): string =>
    line
      .map((text, index) => {
        const cut = cutToWidth(text, widths[index] ?? 0);
        const tone = tones[index];
        const shown = tone === undefined ? cut : style[colours[tone]](cut);
        const rest = " ".repeat((widths[index] ?? 0) - textWidth(cut));
        return columns[index]?.align === "right" ? rest + shown : shown + rest;
      })
      .join(gap)
      .trimEnd();
  const head = style.bold(renderLine(columns.map(({ title }) => title)));
  const lines = rows.map((row, at) =>
    renderLine(
      cells[at] ?? [],
      columns.map((column) => column.tone?.(row)),
    ),
  );
  return [head, ...lines].join("\n");
}

/** The widest columns give first; no column becomes narrower than its content needs or `narrowest`. */
function fitWidths(wanted: readonly number[], space: number): readonly number[] {
  const widths = [...wanted];
  let excess = widths.reduce((sum, width) => sum + width, 0) - space;
  while (excess > 0) {
    const widest = Math.max(...widths);
    if (widest <= narrowest) break;
    // The last of them: it is usually the one with the longest text and the least needed end.
    const index = widths.lastIndexOf(widest);
    const next = Math.max(narrowest, ...widths.filter((width) => width < widest));
    const step = Math.min(excess, Math.max(1, widest - next));
    widths[index] = widest - step;
    excess -= step;
  }
  return widths;
}
