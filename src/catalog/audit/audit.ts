import { createRotatingFile } from "../../core/files/rotating-file.ts";
import { beforeSending } from "../../core/http/turn-end.ts";
import { type Log, silentLog } from "../../core/log.ts";
import { createAuditChain } from "./audit-chain.ts";
import { type AuditEntry, formatAuditLine } from "./audit-line.ts";

export interface AuditOptions {
  readonly file: string;
  readonly maxBytes?: number | undefined;
  readonly keep?: number | undefined;
  /** Whether every line has the hash of the one before it. */
  readonly chain?: boolean | undefined;
  readonly log?: Log | undefined;
}

/** Who called what, and with what outcome: one line of JSON per call. */
export interface Audit {
  /**
   * Returns at once. The system has the line before any answer of this turn of the event loop leaves the process, so no
   * call that was answered is missing after `kill -9`. Never throws: a full disk must not stop the calls.
   */
  record(entry: AuditEntry): void;
  /** Writes what is not in the file yet. */
  close(): Promise<void>;
}

export function openAudit(options: AuditOptions): Audit {
  const { file, maxBytes = 10 * 1024 * 1024, keep = 5, log = silentLog } = options;
  const chain = options.chain === true ? createAuditChain() : undefined;
  const target = createRotatingFile({ file, maxBytes, keep, onFound: chain?.find });
  let waiting: AuditEntry[] = [];
  let lost = 0;
  let reported = false;

  function write(): void {
    const entries = waiting;
    waiting = [];
    if (entries.length === 0) return;
    try {
      const lines = entries.map(formatAuditLine);
      target.append(chain === undefined ? lines.join("") : () => chain.link(lines));
      chain?.written();
      if (lost > 0) log.warn("writing the audit again; some calls are missing from it", { file, lost });
      lost = 0;
      reported = false;
    } catch (error) {
      lost += entries.length;
      if (!reported) log.error("could not write the audit; calls continue without it", { file, error });
      reported = true;
    }
  }

  return {
    record(entry) {
      // All calls that end in one turn are written together.
      if (waiting.push(entry) === 1) beforeSending(write);
    },
    async close() {
      write();
      target.close();
    },
  };
}
