import { sanitizeLine } from "../../core/peer-text.ts";
import type { CommandContext } from "../command-context.ts";

export interface Column<Row> {
  readonly title: string;
  text(row: Row): string;
}

/** Aligned columns under their titles. The last cell of a line is cut to the width of the terminal. */
export function renderTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { stdout, style }: Pick<CommandContext, "stdout" | "style">,
): string {
  const cells = rows.map((row) => columns.map((column) => sanitizeLine(column.text(row))));
  const widths = columns.map((column, index) =>
    cells.reduce((width, line) => Math.max(width, line[index]?.length ?? 0), column.title.length),
  );
  const before = widths.slice(0, -1).reduce((sum, width) => sum + width + 2, 0);
  const lastWidth = Math.max(16, (stdout.columns ?? Infinity) - before);
  const renderLine = (line: readonly string[]): string =>
    line
      .map((text, index) => (index < columns.length - 1 ? text.padEnd(widths[index] ?? 0) : cut(text, lastWidth)))
      .join("  ")
      .trimEnd();
  return [style.bold(renderLine(columns.map(({ title }) => title))), ...cells.map(renderLine)].join("\n");
}

function cut(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, width - 1)}…`;
}
