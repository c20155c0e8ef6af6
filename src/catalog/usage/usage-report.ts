import { tokensOfSize } from "../../core/estimate-tokens.ts";
import type { UsageReading } from "./usage-ledger.ts";
import { others, storedName, type UsageRow } from "./usage-row.ts";

/** Tokens are estimated. */
export interface UsageTally {
  readonly calls: number;
  /** Those that failed; calls that the guard refused did not. */
  readonly errors: number;
  /** Of the arguments. */
  readonly tokensIn: number;
  /** Of the results, as they were sent. */
  readonly tokensOut: number;
  /** What was left out of the results, because only a preview was sent. */
  readonly tokensKept: number;
}

export interface UsageReport {
  /** The first and the last day (UTC). */
  readonly from: string;
  readonly to: string;
  readonly total: UsageTally;
  /** Every day from the first to the last, also those without a call. */
  readonly days: readonly (UsageTally & { readonly day: string })[];
  /** By source: a server, `agent`, `machine`, `app`, `results`, or `-` for tools that do not exist. The most used first. */
  readonly servers: readonly (UsageTally & { readonly server: string })[];
  readonly tools: readonly (UsageTally & { readonly server: string; readonly tool: string })[];
  readonly callers: readonly (UsageTally & { readonly caller: string })[];
  /** All tools that are listed now, called or not, and what their definitions cost in a list. */
  readonly listed: { readonly tools: number; readonly tokens: number };
  readonly unused: UnusedParts;
}

/** What is configured or listed now, has been for a week, and was not called in that time. */
export interface UnusedParts {
  readonly servers: readonly string[];
  /** The most expensive first. */
  readonly tools: readonly KnownTool[];
}

/** A tool that is listed now, and about how many tokens its definition has. */
export interface KnownTool {
  readonly server: string;
  readonly tool: string;
  readonly tokens: number;
}

export interface UsageParts extends UsageReading {
  /** Those that can be called unused, as the tools. */
  readonly knownServers: readonly string[];
  readonly knownTools: readonly KnownTool[];
  readonly listed: UsageReport["listed"];
}

export function reportUsage({ from, to, rows, knownServers, knownTools, listed }: UsageParts): UsageReport {
  const usedServers = new Set(rows.map(({ source }) => source));
  const usedTools = new Set(rows.map(({ source, tool }) => `${source}\n${tool}`));
  const isUsed = (server: string, tool: string): boolean => usedTools.has(`${storedName(server)}\n${storedName(tool)}`);
  /** On a day with too many names some were counted together, and any tool may be one of them. */
  const mayBeUsed = (server: string, tool: string): boolean =>
    usedServers.has(others) || isUsed(server, others) || isUsed(server, tool);
  const rowsOfDay = Map.groupBy(rows, ({ day }) => day);
  return {
    from,
    to,
    total: tallyOf(rows),
    days: daysFrom(from, to).map((day) => ({ day, ...tallyOf(rowsOfDay.get(day) ?? []) })),
    servers: groups(
      rows,
      ({ source }) => source,
      ({ source: server }) => ({ server }),
    ),
    tools: groups(
      rows,
      ({ source, tool }) => `${source}\n${tool}`,
      ({ source: server, tool }) => ({ server, tool }),
    ),
    callers: groups(
      rows,
      ({ caller }) => caller,
      ({ caller }) => ({ caller }),
    ),
    listed,
    unused: {
      servers: knownServers.filter((server) => !usedServers.has(others) && !usedServers.has(storedName(server))),
      tools: knownTools.filter(({ server, tool }) => !mayBeUsed(server, tool)).toSorted((a, b) => b.tokens - a.tokens),
    },
  };
}

const dayMs = 86_400_000;

function daysFrom(from: string, to: string): readonly string[] {
  const [first, last] = [Date.parse(from), Date.parse(to)];
  return Array.from({ length: (last - first) / dayMs + 1 }, (_, at) =>
    new Date(first + at * dayMs).toISOString().slice(0, 10),
  );
}

function groups<N extends object>(
  rows: readonly UsageRow[],
  keyOf: (row: UsageRow) => string,
  nameOf: (row: UsageRow) => N,
): readonly (UsageTally & N)[] {
  return Array.from(Map.groupBy(rows, keyOf).values(), (group) => ({
    ...nameOf(group[0]!),
    ...tallyOf(group),
  })).toSorted((a, b) => b.calls - a.calls || b.tokensOut - a.tokensOut);
}

function tallyOf(rows: readonly UsageRow[]): UsageTally {
  const sum = (of: (row: UsageRow) => number): number => rows.reduce((total, row) => total + of(row), 0);
  const tokens = (of: (row: UsageRow) => number): number => tokensOfSize(sum(of));
  return {
    calls: sum(({ calls }) => calls),
    errors: sum(({ errors }) => errors),
    tokensIn: tokens(({ sizeIn }) => sizeIn),
    tokensOut: tokens(({ sizeOut, sizeKept }) => sizeOut - sizeKept),
    tokensKept: tokens(({ sizeKept }) => sizeKept),
  };
}
