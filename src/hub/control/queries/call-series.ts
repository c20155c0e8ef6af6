import { type AuditEntry, parseAuditLine } from "../../../catalog/audit/audit-line.ts";
import { isFailure, isRefusal, ranMs } from "../../../catalog/audit/call-words.ts";
import { readAuditBackwards } from "../../../catalog/audit/read-audit-backwards.ts";
import type { ServerStatus } from "../../../sources/servers/server-status.ts";
import { hubFiles } from "../../state/hub-files.ts";
import { type HubContext, perHub } from "../contexts.ts";

/** One minute of calls. */
export interface SeriesPoint {
  /** When the minute began, in ISO 8601. */
  readonly at: string;
  readonly calls: number;
  readonly errors: number;
  /** Those that the guard refused. */
  readonly refused: number;
  /** In milliseconds, without the wait for approval; absent if no call ran. */
  readonly p50?: number | undefined;
  readonly p95?: number | undefined;
  /** Milliseconds, and how many calls took about that long; shortest first. Medians of minutes can't be added up, these can. */
  readonly times?: readonly (readonly [ms: number, calls: number])[] | undefined;
}

const series = perHub(({ home, engine }) => openCallSeries({ file: hubFiles.audit(home), onCall: engine.onCall }));

/** The last minutes, oldest first. */
export async function readSeries(hub: HubContext, minutes = 60): Promise<readonly SeriesPoint[]> {
  return (await series.of(hub)).read(minutes);
}

/** When each was used last, once someone has asked for the calls per minute. */
export async function withLastUse(hub: HubContext, servers: readonly ServerStatus[]): Promise<readonly ServerStatus[]> {
  const counted = await series.ifOpened(hub);
  return servers.map((status) => {
    const at = counted?.lastUse(status.name);
    return at === undefined ? status : { ...status, lastUse: new Date(at).toISOString() };
  });
}

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
  refused: number;
  /** How many of the calls that ran took up to each of `edges`, and the longest of them. */
  readonly buckets: Uint32Array;
  readonly longest: Float64Array;
}

const minuteMs = 60_000;
const maxMinutes = 1440;
/** What was called before is read from the audit, up to this many lines. */
const maxLines = 50_000;
/** Upper edges in milliseconds, each a quarter above the last: from 0.1 ms to about 17 minutes. */
const edges = Array.from({ length: 72 }, (_, index) => 0.1 * 1.25 ** index);

/** Begins to count with the first question, and reads what came before from the audit: until then no call costs anything. */
export async function openCallSeries({ file, onCall, now = Date.now() }: CallSeriesOptions): Promise<CallSeries> {
  const minutes = new Map<number, Minute>();
  const used = new Map<string, number>();

  function note(at: number, call: Pick<AuditEntry, "ms" | "waited" | "outcome" | "source">): void {
    const { outcome, source } = call;
    const key = Math.floor((at + call.ms) / minuteMs);
    const minute = minutes.get(key) ?? addMinute(key);
    minute.calls++;
    if ((used.get(source) ?? 0) < at) used.set(source, at);
    if (isRefusal(outcome)) return void minute.refused++;
    if (isFailure(outcome)) minute.errors++;
    const ms = ranMs(call);
    const bucket = bucketOf(ms);
    minute.buckets[bucket]!++;
    minute.longest[bucket] = Math.max(minute.longest[bucket]!, ms);
  }

  function addMinute(key: number): Minute {
    const buckets = new Uint32Array(edges.length);
    const minute = { calls: 0, errors: 0, refused: 0, buckets, longest: new Float64Array(edges.length) };
    minutes.set(key, minute);
    if (minutes.size > maxMinutes + 60)
      for (const old of minutes.keys()) if (old < key - maxMinutes) minutes.delete(old);
    return minute;
  }

  onCall((call) => {
    // Calls from here on; those before are in the file.
    if (call.at + call.ms >= now) note(call.at, call);
  });
  await readEarlier();

  async function readEarlier(): Promise<void> {
    let looked = 0;
    for await (const batch of readAuditBackwards(file)) {
      for (const { text } of batch) {
        const line = parseAuditLine(text);
        const at = Date.parse(line?.time ?? "");
        if (line === undefined || Number.isNaN(at)) continue;
        if (++looked > maxLines || at < now - maxMinutes * minuteMs) return;
        if (at + line.ms < now) note(at, line);
      }
    }
  }

  return {
    lastUse: (source) => used.get(source),
    read(count, at = Date.now()) {
      const last = Math.floor(at / minuteMs);
      const length = Math.max(1, Math.min(count, maxMinutes));
      return Array.from({ length }, (_, index) => pointOf(last - length + 1 + index, minutes));
    },
  };
}

function pointOf(key: number, minutes: ReadonlyMap<number, Minute>): SeriesPoint {
  const at = new Date(key * minuteMs).toISOString();
  const minute = minutes.get(key);
  if (minute === undefined) return { at, calls: 0, errors: 0, refused: 0 };
  const { calls, errors, refused, buckets, longest } = minute;
  // The longest time of each bucket, not its edge: no figure is above that of a real call.
  const times = [...buckets].flatMap((count, index) =>
    count === 0 ? [] : [[Math.round(longest[index]! * 10) / 10, count] as const],
  );
  const ran = calls - refused;
  return { at, calls, errors, refused, p50: quantile(times, ran * 0.5), p95: quantile(times, ran * 0.95), times };
}

function bucketOf(ms: number): number {
  const index = Math.ceil(Math.log(Math.max(ms, 0.1) / 0.1) / Math.log(1.25) - 1e-9);
  return Math.min(index, edges.length - 1);
}

/** Undefined if no call ran. */
function quantile(times: NonNullable<SeriesPoint["times"]>, rank: number): number | undefined {
  let seen = 0;
  return times.find(([, count]) => (seen += count) >= rank)?.[0];
}
