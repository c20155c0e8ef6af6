import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { codeOf, Fault } from "../../core/fault.ts";
import { createRotatingFile } from "../../core/files/rotating-file.ts";
import { beforeSending } from "../../core/http/turn-end.ts";
import { type Log, silentLog } from "../../core/log.ts";
import { createAuditChain } from "./audit-chain.ts";
import { type AuditEntry, type BegunCall, formatAuditLine, unfinished } from "./audit-line.ts";
import { createOpenCalls } from "./open-calls.ts";

export interface AuditOptions {
  readonly file: string;
  readonly maxBytes?: number | undefined;
  readonly keep?: number | undefined;
  /** Whether every line has the hash of the one before it. */
  readonly chain?: boolean | undefined;
  /** Whether calls that can't be recorded are refused. */
  readonly required?: boolean | undefined;
  readonly log?: Log | undefined;
}

/** Who called what, and with what outcome: one line of JSON per call. */
export interface Audit {
  /**
   * The call is about to be sent to its source. Before anything of this turn of the event loop leaves the process, the
   * system knows of it, so that it has a line even if the process is killed before it ends. Throws only if the audit is
   * required and can't be written.
   */
  begin(call: BegunCall): void;
  /**
   * Returns at once. The system has the line before any answer of this turn of the event loop leaves the process, so no
   * call that was answered is missing after `kill -9`. Never throws: a full disk must not stop the calls that run.
   */
  record(entry: AuditEntry, begun?: BegunCall): void;
  loss(): AuditLoss;
  /** Writes the lines of calls that were under way when their process was killed. */
  recover(): Promise<void>;
  /** Writes what is not in the file yet. */
  close(): Promise<void>;
}

export interface AuditLoss {
  /** How many lines are missing from the file, since the start of this process. */
  readonly lines: number;
  /** Whether the last attempt to write failed. */
  readonly isFailing: boolean;
}

/** The folder of the calls that are under way, a file for each process. */
function openCallsFolder(file: string): string {
  return join(dirname(file), "open");
}

/** If the audit is required, so many lines are kept in memory until they can be written. No more calls run meanwhile. */
const maxKept = 1000;

export function openAudit(options: AuditOptions): Audit {
  const { file, maxBytes = 10 * 1024 * 1024, keep = 5, required = false, log = silentLog } = options;
  const chain = options.chain === true ? createAuditChain() : undefined;
  const target = createRotatingFile({ file, maxBytes, keep, onFound: chain?.find });
  const open = createOpenCalls(openCallsFolder(file));
  let waiting: { readonly entry: AuditEntry; readonly begun: BegunCall | undefined }[] = [];
  let isScheduled = false;
  let lost = 0;
  let isFailing = false;

  /** Whether all is written. */
  function write(): boolean {
    isScheduled = false;
    const failure = failureOf(writeLines) ?? failureOf(open.flush);
    if (failure !== undefined && !isFailing) log.error(failureText(required), { file, error: failure.error });
    const missing = lost === 0 ? "" : "; some calls are missing from it";
    if (failure === undefined && isFailing) log.warn(`writing the audit again${missing}`, { file, lost });
    isFailing = failure !== undefined;
    return !isFailing;
  }

  function append(lines: readonly string[]): void {
    target.append(chain === undefined ? lines.join("") : () => chain.link(lines));
    chain?.written();
  }

  function writeLines(): void {
    if (waiting.length === 0) return;
    let done = waiting.length;
    try {
      append(waiting.map(({ entry, begun }) => formatAuditLine(entry, begun)));
    } catch (error) {
      const inFile = target.linesOfFailed();
      if (required) done = Math.max(inFile, waiting.length - maxKept);
      lost += done - inFile;
      throw error;
    } finally {
      for (const { begun } of waiting.splice(0, done)) if (begun !== undefined) open.end(begun);
    }
  }

  /** All calls that begin and end in one turn are written together. */
  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    beforeSending(write);
  }

  return {
    begin(call) {
      open.begin(call);
      if (!required) return schedule();
      if (write()) return;
      open.end(call);
      throw new Fault("unavailable", "This call did not run, because it can't be recorded in the audit at the moment.");
    },
    record(entry, begun) {
      waiting.push({ entry, begun });
      schedule();
    },
    loss: () => ({ lines: lost, isFailing }),
    async recover() {
      try {
        const folder = openCallsFolder(file);
        // Rarely anything is there.
        if ((await readdir(folder)).length === 0) return;
        const { recoverOpenCalls } = await import("./recover-open-calls.ts");
        const count = await recoverOpenCalls({ file, folder, append });
        if (count > 0) log.warn("calls were under way when their process was killed", { count, outcome: unfinished });
      } catch (error) {
        if (codeOf(error) !== "ENOENT") log.warn("could not write the calls of a killed process", { file, error });
      }
    },
    async close() {
      write();
      target.close();
      open.close();
    },
  };
}

/** Records nothing. */
export const noAudit: Audit = {
  begin: () => {},
  record: () => {},
  loss: () => ({ lines: 0, isFailing: false }),
  recover: () => Promise.resolve(),
  close: () => Promise.resolve(),
};

function failureOf(run: () => void): { readonly error: unknown } | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    return { error };
  }
}

function failureText(required: boolean): string {
  return required
    ? "could not write the audit; calls are refused until it can be written, since audit.required is set"
    : "could not write the audit; calls continue without it";
}
