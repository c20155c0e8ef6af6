import { cpus, loadavg } from "node:os";
import type { Section } from "./section.ts";

export function renderSection({ title, notes, columns, rows }: Section): string {
  const widths = columns.map((column, index) => Math.max(column.length, ...rows.map((row) => row[index]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, index) => cell.padEnd(widths[index]!)).join(" | ")} |`;
  const rule = line(widths.map((width) => "-".repeat(width)));
  const table = columns.length === 0 ? [] : [line(columns), rule, ...rows.map(line), ""];
  return [`## ${title}`, "", ...table, ...notes.map((note) => `- ${note}`), ""].join("\n");
}

/** What a reader needs to know about the machine, and nothing that would name it. */
export function renderResults(sections: readonly Section[], startLoad: number): string {
  const [cpu] = cpus();
  const load = `${startLoad.toFixed(1)} at the start, ${loadavg()[0]!.toFixed(1)} at the end`;
  return [
    "# Results of `npm run bench`",
    "",
    `${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${cpus().length} × ${cpu?.model ?? "unknown"}, load average ${load}.`,
    "",
    "Everything ran interleaved in one go on the same Node; the load generator shares the processor with what it measures.",
    "Compare rows of one table; numbers of two runs only by their ratios.",
    "",
    ...sections.map(renderSection),
  ].join("\n");
}
