import type { UsageReport } from "../../../../src/catalog/usage/usage-report.ts";

/** What was never called of one source, and what its definitions cost in a list. */
export interface UnusedSource {
  readonly source: string;
  /** How many of its tools were never called. */
  readonly tools: number;
  readonly tokens: number;
  /** Nothing of it was used: it can be switched off as a whole. */
  readonly isWhole: boolean;
}

/** The most expensive first. A server that lists nothing now comes last. */
export function unusedSources({ servers, unused }: Pick<UsageReport, "servers" | "unused">): readonly UnusedSource[] {
  const used = new Set(servers.map(({ server }) => server));
  const found = new Map(unused.servers.map((source) => [source, { source, tools: 0, tokens: 0, isWhole: true }]));
  for (const { server: source, tokens } of unused.tools) {
    const known = found.get(source) ?? { source, tools: 0, tokens: 0, isWhole: !used.has(source) };
    found.set(source, { ...known, tools: known.tools + 1, tokens: known.tokens + tokens });
  }
  return [...found.values()].toSorted((a, b) => b.tokens - a.tokens || a.source.localeCompare(b.source));
}
