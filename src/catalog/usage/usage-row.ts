import { isRecord } from "../../core/is-record.ts";

/** What one caller did with one tool in one day. Sizes are characters of JSON. */
export interface UsageRow {
  readonly source: string;
  /** Its name in the catalog, or what was done else, such as `resources/read`. */
  readonly tool: string;
  /** What the door has verified: `phone`. */
  readonly caller: string;
  calls: number;
  /** Those that failed; calls that the guard refused did not. */
  errors: number;
  sizeIn: number;
  sizeOut: number;
  /** What was left out of answers, because the result was kept and a preview was sent. */
  sizeKept: number;
}

/** As it is in the file of a day: `2026-11-16`, in UTC. */
export interface DayRow extends UsageRow {
  readonly day: string;
}

export type UsageRows = Map<string, UsageRow>;

/** Clients choose names of tools, and apps come and go, so there could be any number. */
const maxRows = 1000;
const maxNameLength = 120;
/** Under this name, what does not fit any more is counted together. */
export const others = "(others)";

/** The row of a caller and a tool; a new one counts nothing yet. */
export function rowOf(rows: UsageRows, source: string, tool: string, caller: string): UsageRow {
  return rows.get(keyOf(source, tool, caller)) ?? addRow(rows, source, tool, caller);
}

function addRow(rows: UsageRows, source: string, tool: string, caller: string): UsageRow {
  const names = [source, tool, caller].map(storedName) as [string, string, string];
  const isFull = rows.size >= maxRows;
  const [first, second, third] = isFull ? [rows.size < 2 * maxRows ? names[0] : others, others, others] : names;
  const key = keyOf(first, second, third);
  const known = rows.get(key);
  if (known !== undefined) return known;
  const sums = { calls: 0, errors: 0, sizeIn: 0, sizeOut: 0, sizeKept: 0 };
  const row: UsageRow = { source: first, tool: second, caller: third, ...sums };
  rows.set(key, row);
  return row;
}

/** A name as a row has it. */
export function storedName(name: string): string {
  return name.slice(0, maxNameLength);
}

function keyOf(source: string, tool: string, caller: string): string {
  return `${source}\n${tool}\n${caller}`;
}

/** Adds rows to others. */
export function addRows(to: UsageRows, from: Iterable<UsageRow>): void {
  for (const each of from) {
    const row = rowOf(to, each.source, each.tool, each.caller);
    for (const sum of sums) row[sum] += each[sum];
  }
}

const sums = ["calls", "errors", "sizeIn", "sizeOut", "sizeKept"] as const;

/** One line each in a file: short names, since there may be many. */
export type StoredRow = readonly [string, string, string, number, number, number, number, number];

export function storeRow({ source, tool, caller, ...row }: UsageRow): StoredRow {
  return [source, tool, caller, row.calls, row.errors, row.sizeIn, row.sizeOut, row.sizeKept];
}

/** Throws if the file should not hold that. */
export function parseRows(value: unknown): readonly StoredRow[] {
  const rows = isRecord(value) ? value["rows"] : undefined;
  if (!Array.isArray(rows) || !rows.every(isStoredRow)) throw new TypeError("these are not rows of usage");
  return rows;
}

function isStoredRow(row: unknown): row is StoredRow {
  if (!Array.isArray(row) || row.length !== 8) return false;
  const [names, counts] = [row.slice(0, 3), row.slice(3)];
  return names.every((name) => typeof name === "string") && counts.every((count) => Number.isFinite(count));
}

export function loadRow([source, tool, caller, calls, errors, sizeIn, sizeOut, sizeKept]: StoredRow): UsageRow {
  return { source, tool, caller: caller.replace(doorBefore, ""), calls, errors, sizeIn, sizeOut, sizeKept };
}

/** Rows were once stored with the door: `mcp-http/phone`. */
const doorBefore = /^(?:mcp-stdio|mcp-http|plugin|node|console|cli|app-proxy|server)\//;
