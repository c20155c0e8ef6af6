import { readFile } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { parseJson } from "../../../core/json.ts";
import { codeOf, Fault, messageOf } from "../../../core/fault.ts";
import { openAppendLog } from "../../../core/files/append-log.ts";
import { isRecord } from "../../../core/is-record.ts";
import { type Log, silentLog } from "../../../core/log.ts";
import type { SessionRecord, SessionStore, StoredSession } from "./session-store.ts";

export interface FileSessionStoreOptions {
  readonly path: string;
  readonly log?: Log;
  /** The file is rewritten when it is larger than this, and more than twice the size of its live entries. */
  readonly compactOver?: number;
}

interface LoggedSession extends StoredSession {
  readonly bytes: number;
}

/** Keeps sessions in an append-only file, across restarts. Only one process at a time may have it open. */
export async function openFileSessionStore({
  path,
  log = silentLog,
  compactOver = 1024 * 1024,
}: FileSessionStoreOptions): Promise<SessionStore> {
  const sessions = new Map<string, LoggedSession>();
  /** Bytes of the lines that a rewrite would keep. */
  let liveBytes = 0;
  const end = recover(await read(path));
  const file = await openAppendLog(path, end);

  return {
    isShared: false,
    async put(record, expiresAt) {
      const line = formatLogLine({ put: record, expiresAt });
      const before = sessions.get(record.id);
      const entry = { record, expiresAt, bytes: Buffer.byteLength(line) };
      keep(entry);
      try {
        await file.append(line);
      } catch (error) {
        // A session that is not in the file must not be found. It may have been removed or touched meanwhile.
        const kept = sessions.get(record.id);
        if (kept?.record === record) {
          forget(record.id);
          if (before) keep(kept === entry ? before : { ...before, expiresAt: kept.expiresAt });
        }
        throw error;
      }
      compactIfDue();
    },
    get: async (id) => sessions.get(id),
    touch(id, expiresAt) {
      const stored = sessions.get(id);
      if (!stored) return;
      sessions.set(id, { ...stored, expiresAt });
      file.appendLater(formatLogLine({ touch: id, expiresAt }));
      compactIfDue();
    },
    async remove(id) {
      if (!forget(id)) return false;
      await file.append(formatLogLine({ remove: id }));
      compactIfDue();
      return true;
    },
    all: async () => [...sessions.values()],
    watch: async () => () => {},
    [Symbol.asyncDispose]: () => file.close(),
  };

  /** Returns where the last good line ends. */
  function recover(data: Buffer): number {
    let good = 0;
    let damaged = 0;
    for (let start = 0, stop = data.indexOf(10); stop >= 0; start = stop + 1, stop = data.indexOf(10, start)) {
      const entry = parseLogLine(data.subarray(start, stop));
      if (!entry) {
        damaged++;
        continue;
      }
      good = stop + 1;
      apply(entry, good - start);
    }
    if (damaged > 0) log.warn("skipped damaged lines of the session log", { path, lines: damaged });
    return good;
  }

  function apply(entry: SessionLogEntry, bytes: number): void {
    if ("put" in entry) return keep({ record: entry.put, expiresAt: entry.expiresAt, bytes });
    if ("remove" in entry) return void forget(entry.remove);
    const stored = sessions.get(entry.touch);
    if (stored) sessions.set(entry.touch, { ...stored, expiresAt: entry.expiresAt });
  }

  function keep(entry: LoggedSession): void {
    forget(entry.record.id);
    sessions.set(entry.record.id, entry);
    liveBytes += entry.bytes;
  }

  function forget(id: string): boolean {
    liveBytes -= sessions.get(id)?.bytes ?? 0;
    return sessions.delete(id);
  }

  function compactIfDue(): void {
    if (file.size > compactOver && file.size > 2 * liveBytes) file.replace(snapshot);
  }

  function snapshot(): string {
    return Array.from(sessions.values(), ({ record, expiresAt }) => formatLogLine({ put: record, expiresAt })).join("");
  }
}

async function read(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return Buffer.alloc(0);
    throw new Fault("io", `Could not read ${path}: ${messageOf(error)}. Check its permissions.`, { cause: error });
  }
}

/** One change of the sessions. */
export type SessionLogEntry =
  | { readonly put: SessionRecord; readonly expiresAt: number }
  | { readonly touch: string; readonly expiresAt: number }
  | { readonly remove: string };

/** A line of the log: a checksum, then the entry, so that a torn or damaged line is recognized. */
function formatLogLine(entry: SessionLogEntry): string {
  const json = JSON.stringify(entry);
  return `${checksum(json)} ${json}\n`;
}

/** undefined if the line is damaged. */
function parseLogLine(line: Buffer): SessionLogEntry | undefined {
  const json = line.subarray(9);
  if (line.length < 11 || line.subarray(0, 8).toString("latin1") !== checksum(json)) return undefined;
  try {
    const entry = parseJson(json.toString());
    return isEntry(entry) ? entry : undefined;
  } catch {
    return undefined;
  }
}

function checksum(data: string | Buffer): string {
  return crc32(data).toString(16).padStart(8, "0");
}

/** The checksum proves that Clawport wrote it; this only checks that this version can read it. */
function isEntry(value: unknown): value is SessionLogEntry {
  if (!isRecord(value)) return false;
  const { put, touch, remove, expiresAt } = value;
  if (remove !== undefined) return typeof remove === "string";
  if (typeof expiresAt !== "number") return false;
  if (touch !== undefined) return typeof touch === "string";
  return isRecord(put) && typeof put.id === "string" && "tools" in put && "ownTokens" in put;
}
