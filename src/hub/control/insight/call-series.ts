import { type AuditEntry, parseAuditLine } from "../../../catalog/audit/audit-line.ts";
import { readAuditBackwards } from "../../../catalog/audit/read-audit-backwards.ts";
import type { SeriesPoint } from "./insight-control.ts";

/** Calls by minute, and when each source was used last. */
export interface CallSeries {
  read(minutes: number, now?: number): readonly SeriesPoint[];
  /** Milliseconds since the epoch. */
  lastUse(source: string): number | undefined;
}

export interface CallSeriesOptions {
  /** The audit, for what happened before. */
  readonly file: string;
  onCall(listener: (entry: AuditEntry) => void): void;
  readonly now?: number;
}

interface Minute {
  calls: number;
  errors: number;
  /** How many calls took up to each of `edges`. */
  readonly buckets: Uint32Array;
}

const minuteMs = 60_000;
const mostMinutes = 1440;
/** What was called before is read from the audit, up to this many lines. */
const mostLines = 50_000;
/** Upper edges in milliseconds, each a quarter above the last: from 0.1 ms to about 17 minutes. */
const edges = Array.from({ length: 72 }, (_, index) => 0.1 * 1.25 ** index);

/** Begins to count with the first question, and reads what came before from the audit: until then no call costs anything. */
export async function openCallSeries({ file, onCall, now = Date.now() }: CallSeriesOptions): Promise<CallSeries> {
  const minutes = new Map<number, Minute>();
  const used = new Map<string, number>();

  function note(at: number, ms: number, outcome: string, source: string): void {
    const key = Math.floor((at + ms) / minuteMs);
    const minute = minutes.get(key) ?? addMinute(key);
    minute.calls++;
    if (outcome !== "ok") minute.errors++;
    minute.buckets[bucketOf(ms)]!++;
    if ((used.get(source) ?? 0) < at) used.set(source, at);
  }

  function addMinute(key: number): Minute {
    const minute = { calls: 0, errors: 0, buckets: new Uint32Array(edges.length) };
    minutes.set(key, minute);
    if (minutes.size > mostMinutes + 60)
      for (const old of minutes.keys()) if (old < key - mostMinutes) minutes.delete(old);
    return minute;
  }

  onCall(({ at, ms, outcome, source }) => {
    // Calls from here on; those before are in the file.
    if (at + ms >= now) note(at, ms, outcome, source);
  });
  await readEarlier();

  async function readEarlier(): Promise<void> {
    let looked = 0;
    for await (const batch of readAuditBackwards(file)) {
      for (const { text } of batch) {
        const line = parseAuditLine(text);
        const at = Date.parse(line?.time ?? "");
        if (line === undefined || Number.isNaN(at)) continue;
        if (++looked > mostLines || at < now - mostMinutes * minuteMs) return;
        if (at + line.ms < now) note(at, line.ms, line.outcome, line.source);
      }
    }
  }

  return {
    lastUse: (source) => used.get(source),
    read(count, at = Date.now()) {
      const last = Math.floor(at / minuteMs);
      const length = Math.max(1, Math.min(count, mostMinutes));
      return Array.from({ length }, (_, index) => pointOf(last - length + 1 + index, minutes));
    },
  };
}

function pointOf(key: number, minutes: ReadonlyMap<number, Minute>): SeriesPoint {
  const at = new Date(key * minuteMs).toISOString();
  const minute = minutes.get(key);
  if (minute === undefined) return { at, calls: 0, errors: 0 };
  const { calls, errors, buckets } = minute;
  const times = [...buckets].flatMap((count, index) => (count === 0 ? [] : [[edgeOf(index), count] as const]));
  return { at, calls, errors, p50: quantile(buckets, calls * 0.5), p95: quantile(buckets, calls * 0.95), times };
}

function bucketOf(ms: number): number {
  const index = Math.ceil(Math.log(Math.max(ms, 0.1) / 0.1) / Math.log(1.25) - 1e-9);
  return Math.min(index, edges.length - 1);
}

function quantile(buckets: Uint32Array, rank: number): number {
  let seen = 0;
  for (const [index, count] of buckets.entries()) {
    seen += count;
    if (seen >= rank && count > 0) return edgeOf(index);
  }
  return 0;
}

function edgeOf(index: number): number {
  return Math.round((edges[index] ?? 0) * 10) / 10;
}
