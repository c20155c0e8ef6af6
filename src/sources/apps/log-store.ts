import { readFile } from "node:fs/promises";
import { Fault } from "../../core/fault.ts";
import { type Log, silentLog } from "../../core/log.ts";
import { codeOf, messageOf } from "../../core/thrown.ts";
import { openAppendLog } from "./append-log.ts";
import { formatLine, type LogEntry, parseLine } from "./log-line.ts";
import type { SessionStore, StoredSession } from "./session-store.ts";

export interface LogStoreOptions {
  readonly path: string;
  readonly log?: Log;
  /** The file is rewritten when it is larger than this and twice what is alive in it. */
  readonly compactOver?: number;
}

interface Kept extends StoredSession {
  readonly bytes: number;
}

/** Sessions in an append-only file: they outlive the process. One process at a time may have it open. */
export async function openLogStore({
  path,
  log = silentLog,
  compactOver = 1024 * 1024,
}: LogStoreOptions): Promise<SessionStore> {
  const sessions = new Map<string, Kept>();
  let alive = 0;
  const end = recover(await read(path));
  const file = await openAppendLog(path, end);

  return {
    async put(record, expiresAt) {
      const line = formatLine({ put: record, expiresAt });
      const before = sessions.get(record.id);
      const entry = { record, expiresAt, bytes: Buffer.byteLength(line) };
      keep(entry);
      try {
        await file.append(line);
      } catch (error) {
        // What is not in the file must not be there for anybody. It may have been removed or touched meanwhile.
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
      file.appendLater(formatLine({ touch: id, expiresAt }));
      compactIfDue();
    },
    async remove(id) {
      if (!forget(id)) return false;
      await file.append(formatLine({ remove: id }));
      compactIfDue();
      return true;
    },
    all: async () => [...sessions.values()],
    [Symbol.asyncDispose]: () => file.close(),
  };

  /** Gives where the last good line ends. */
  function recover(data: Buffer): number {
    let good = 0;
    let damaged = 0;
    for (let start = 0, stop = data.indexOf(10); stop >= 0; start = stop + 1, stop = data.indexOf(10, start)) {
      const entry = parseLine(data.subarray(start, stop));
      if (!entry) {
        damaged++;
        continue;
      }
      good = stop + 1;
      apply(entry, good - start);
    }
    if (damaged > 0) log.warn("lines of the session log were damaged; they are passed over", { path, lines: damaged });
    return good;
  }

  function apply(entry: LogEntry, bytes: number): void {
    if ("put" in entry) return keep({ record: entry.put, expiresAt: entry.expiresAt, bytes });
    if ("remove" in entry) return void forget(entry.remove);
    const stored = sessions.get(entry.touch);
    if (stored) sessions.set(entry.touch, { ...stored, expiresAt: entry.expiresAt });
  }

  function keep(entry: Kept): void {
    forget(entry.record.id);
    sessions.set(entry.record.id, entry);
    alive += entry.bytes;
  }

  function forget(id: string): boolean {
    alive -= sessions.get(id)?.bytes ?? 0;
    return sessions.delete(id);
  }

  function compactIfDue(): void {
    if (file.size > compactOver && file.size > 2 * alive) file.replace(snapshot);
  }

  function snapshot(): string {
    return Array.from(sessions.values(), ({ record, expiresAt }) => formatLine({ put: record, expiresAt })).join("");
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
