import { sanitizeLine } from "../../core/sanitize-text.ts";

export interface Column<Row> {
  readonly title: string;
  text(row: Row): string;
  /** Colour of the padded cell. */
  paint?(text: string, row: Row): string;
}

export interface TableOptions {
  /** Columns of the terminal; the last cell of a line is cut to fit. */
  readonly width?: number | undefined;
  paintTitle?(text: string): string;
}

/** Lines of aligned columns under their titles. */
export function renderTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  options: TableOptions = {},
): string {
  const cells = rows.map((row) => columns.map((column) => sanitizeLine(column.text(row))));
  const widths = columns.map((column, index) =>
    cells.reduce((width, line) => Math.max(width, line[index]?.length ?? 0), column.title.length),
  );
  const fit = (text: string, index: number): string => {
    if (index < columns.length - 1) return text.padEnd(widths[index] ?? 0);
    const before = widths.slice(0, -1).reduce((sum, width) => sum + width + 2, 0);
    return cut(text, Math.max(16, (options.width ?? Infinity) - before));
  };
  const title = columns
    .map((column, index) => fit(column.title, index))
    .join("  ")
    .trimEnd();
  const lines = rows.map((row, line) =>
    columns
      .map((column, index) => {
        const text = fit(cells[line]?.[index] ?? "", index);
        return column.paint?.(text, row) ?? text;
      })
      .join("  ")
      .trimEnd(),
  );
  return [options.paintTitle?.(title) ?? title, ...lines].join("\n");
}

function cut(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, width - 1)}…`;
}
