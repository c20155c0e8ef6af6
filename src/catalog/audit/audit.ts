import { createRotatingFile } from "../../core/files/rotating-file.ts";
import { type Log, silentLog } from "../../core/log.ts";
import { type AuditEntry, formatAuditLine } from "./audit-line.ts";

export interface AuditOptions {
  readonly file: string;
  readonly maxBytes?: number | undefined;
  readonly keep?: number | undefined;
  readonly log?: Log | undefined;
}

/** Who called what, and with what outcome: one line of JSON per call. */
export interface Audit {
  /** Returns at once; the line is in the file within 200 ms. Never throws: a full disk must not stop the calls. */
  record(entry: AuditEntry): void;
  /** Writes what is not in the file yet. */
  close(): Promise<void>;
}

const flushDelay = 100;
/** With this many waiting the disk must be stuck; further entries are dropped and counted. */
const mostWaiting = 50_000;

export function openAudit(options: AuditOptions): Audit {
  const { file, maxBytes = 10 * 1024 * 1024, keep = 5, log = silentLog } = options;
  const target = createRotatingFile({ file, maxBytes, keep });
  let waiting: AuditEntry[] = [];
  let lost = 0;
  let reported = false;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  async function write(): Promise<void> {
    const entries = waiting;
    waiting = [];
    if (entries.length === 0) return;
    try {
      await target.append(entries.map(formatAuditLine).join(""));
      if (lost > 0) log.warn("writing the audit again; some calls are missing from it", { file, lost });
      lost = 0;
      reported = false;
    } catch (error) {
      lost += entries.length;
      if (!reported) log.error("could not write the audit; calls continue without it", { file, error });
      reported = true;
    }
  }

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    writing = writing.then(write);
    return writing;
  }

  return {
    record(entry) {
      if (waiting.length >= mostWaiting) lost++;
      else waiting.push(entry);
      timer ??= setTimeout(() => void flush(), flushDelay);
    },
    async close() {
      await flush();
      await target.close();
    },
  };
}
