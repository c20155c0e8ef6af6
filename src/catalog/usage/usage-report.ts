import { bytesPerToken } from "../../core/estimate-tokens.ts";
import type { UsageRow } from "./usage-row.ts";

/** Tokens are estimated: one for 4 characters of JSON. */
export interface UsageTally {
  readonly calls: number;
  /** Those that did not end with `ok`. */
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
  /** By source: a server, `agent`, `machine`, `app`, `results`, or `-` for tools that do not exist. The most used first. */
  readonly servers: readonly (UsageTally & { readonly server: string })[];
  readonly tools: readonly (UsageTally & { readonly server: string; readonly tool: string })[];
  readonly callers: readonly (UsageTally & { readonly caller: string })[];
  readonly unused: UnusedParts;
}

/** What is configured or listed now, and was not called in that time. */
export interface UnusedParts {
  readonly servers: readonly string[];
  readonly tools: readonly { readonly server: string; readonly tool: string; readonly tokens: number }[];
}

/** A tool that is listed now, and about how many tokens its definition has. */
export interface KnownTool {
  readonly server: string;
  readonly tool: string;
  readonly tokens: number;
}

export interface UsageParts {
  readonly from: string;
  readonly to: string;
  readonly rows: readonly UsageRow[];
  readonly knownServers: readonly string[];
  readonly knownTools: readonly KnownTool[];
}

export function reportUsage({ from, to, rows, knownServers, knownTools }: UsageParts): UsageReport {
  const usedServers = new Set(rows.map(({ source }) => source));
  const usedTools = new Set(rows.map(({ source, tool }) => `${source}\n${tool}`));
  return {
    from,
    to,
    total: tallyOf(rows),
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
    unused: {
      servers: knownServers.filter((server) => !usedServers.has(server)),
      tools: knownTools
        .filter(({ server, tool }) => !usedTools.has(`${server}\n${tool}`))
        .toSorted((a, b) => b.tokens - a.tokens),
    },
  };
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
  const tokens = (of: (row: UsageRow) => number): number => Math.round(sum(of) / bytesPerToken);
  return {
    calls: sum(({ calls }) => calls),
    errors: sum(({ errors }) => errors),
    tokensIn: tokens(({ sizeIn }) => sizeIn),
    tokensOut: tokens(({ sizeOut, sizeKept }) => sizeOut - sizeKept),
    tokensKept: tokens(({ sizeKept }) => sizeKept),
  };
}
