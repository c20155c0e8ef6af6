import type { Log } from "../../core/log.ts";
import type { AuditEntry } from "../audit/audit-line.ts";
import { isFailure } from "../audit/call-words.ts";
import { type Caller, callerName } from "../caller.ts";
import { type DayRow, rowOf, type UsageRow, type UsageRows } from "./usage-row.ts";

export interface UsageLedgerOptions {
  /** One file a day. */
  readonly folder: string;
  readonly log: Log;
  readonly clock?: (() => number) | undefined;
}

/**
 * What was called how often and how much it carried, by day. Calls are counted in memory; once a minute, and at the end,
 * the sums go to the file of the day. A process that is killed loses at most that minute: the audit has every call.
 */
export interface UsageLedger {
  note(entry: AuditEntry): void;
  /** So many characters of a result were not sent. */
  noteKept(kept: {
    readonly caller: Caller;
    readonly source: string;
    readonly tool: string;
    readonly size: number;
  }): void;
  /** Everything since the start of this process, by source. */
  sinceStart(): ReadonlyMap<string, UsageSums>;
  /** The rows of the last days, today included, of all processes. */
  read(days: number): Promise<UsageReading>;
  /** Writes what is not in the files yet. */
  close(): Promise<void>;
}

export interface UsageReading {
  /** The first and the last day (UTC). */
  readonly from: string;
  readonly to: string;
  readonly rows: readonly DayRow[];
}

export type UsageSums = Pick<UsageRow, "sizeIn" | "sizeOut" | "sizeKept">;

const dayMs = 86_400_000;
const writeEveryMs = 60_000;

export function openUsageLedger({ folder, log, clock = Date.now }: UsageLedgerOptions): UsageLedger {
  let day = 0;
  let rows: UsageRows = new Map();
  /** Rows of earlier days, and those that could not be written. */
  const waiting: { readonly day: number; readonly rows: UsageRows }[] = [];
  const totals = new Map<string, { sizeIn: number; sizeOut: number; sizeKept: number }>();
  let timer: NodeJS.Timeout | undefined;
  let prunedOn = 0;
  let writing: Promise<void> = Promise.resolve();
  let isReported = false;

  function rowFor(at: number, source: string, tool: string, caller: Caller): UsageRow {
    const today = Math.floor(at / dayMs);
    if (today !== day) {
      if (rows.size > 0) setAside();
      day = today;
    }
    timer ??= setTimeout(() => void write(), writeEveryMs).unref();
    const { door, token, sender, agent } = caller;
    return rowOf(rows, source, tool, callerName({ door, token, sender, agent }));
  }

  function setAside(): void {
    waiting.push({ day, rows });
    // If nothing can be written for days, the oldest of them go.
    if (waiting.length > 3) waiting.shift();
    rows = new Map();
  }

  function sumsOf(source: string) {
    const known = totals.get(source);
    if (known !== undefined) return known;
    const sums = { sizeIn: 0, sizeOut: 0, sizeKept: 0 };
    totals.set(source, sums);
    return sums;
  }

  function write(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    return (writing = writing.then(writeNow));
  }

  async function writeNow(): Promise<void> {
    if (rows.size > 0) setAside();
    if (waiting.length === 0) return;
    try {
      const { addToFile, pruneDays } = await import("./usage-files.ts");
      for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
        await addToFile(folder, next.day, next.rows.values(), log);
        waiting.splice(waiting.indexOf(next), 1);
      }
      if (prunedOn !== day) await pruneDays(folder, Math.floor(clock() / dayMs));
      prunedOn = day;
      isReported = false;
    } catch (error) {
      if (!isReported) log.warn("could not write how much was used; trying again later", { folder, error });
      isReported = true;
    }
  }

  return {
    note({ at, caller, source: id, tool, outcome, sizeIn, sizeOut }) {
      const source = sourceText(id);
      const row = rowFor(at, source, source === unknownSource ? unknownTool : tool, caller);
      const sums = sumsOf(source);
      row.calls++;
      if (outcome !== "ok" && isFailure(outcome)) row.errors++;
      row.sizeIn += sizeIn;
      sums.sizeIn += sizeIn;
      row.sizeOut += sizeOut;
      sums.sizeOut += sizeOut;
    },
    noteKept({ caller, source: id, tool, size }) {
      const source = sourceText(id);
      rowFor(clock(), source, tool, caller).sizeKept += size;
      sumsOf(source).sizeKept += size;
    },
    sinceStart: () => totals,
    async read(days) {
      await write();
      const { dayText, keptDays, readDays } = await import("./usage-files.ts");
      const today = Math.floor(clock() / dayMs);
      const from = today - Math.max(1, Math.min(Math.floor(days), keptDays)) + 1;
      return { from: dayText(from), to: dayText(today), rows: await readDays(folder, from, today, log) };
    },
    close: () => write(),
  };
}

/** In the audit, for a tool that no source has. Any name can be called, so they are counted together. */
const unknownSource = "-";
const unknownTool = "(unknown)";

/** Every session of an app is a source of its own. */
function sourceText(id: string): string {
  return id.startsWith("app:") ? "app" : id;
}
