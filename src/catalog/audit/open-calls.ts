import * as fs from "node:fs";
import { join } from "node:path";
import { InFlight } from "../../core/in-flight.ts";
import { formatMark, ownMark } from "../../core/process/process-mark.ts";
import { type BegunCall, formatBegun } from "./audit-line.ts";

/**
 * Calls that were sent to a source and have no line in the audit yet, in a file of this process. A process that ends
 * properly removes it; from the file of one that was killed the next one writes a line for each call that was under way
 * (`recover-open-calls.ts`).
 */
export interface OpenCalls {
  begin(call: BegunCall): void;
  /** The audit has its line. A call that ends before the next `flush` leaves nothing in the file. */
  end(call: BegunCall): void;
  /** When it returns, the system has what began before. Throws if it can't be written; the next call tries again. */
  flush(): void;
  close(): void;
}

/** A file that has grown past this is replaced by one with the calls that are still open. */
const maxBytes = 256 * 1024;
/** While the file exists it is touched this often, for processes that can't see whether this one runs. */
export const touchEveryMs = 60_000;

let files = 0;

/** `<who wrote it>.<number>`; a name is never used twice. */
export function openCallsName(): string {
  return `${formatMark(ownMark("/proc"))}.${files++}`;
}

export function createOpenCalls(folder: string): OpenCalls {
  let unwritten = new InFlight<BegunCall>();
  const written = new InFlight<BegunCall>();
  /** The numbers of calls that are over. They are written with the next that begin: until then the audit tells. */
  let ended = "";
  let count = 0;
  let file: OpenFile | undefined;

  /** The old file stays until the new one has everything. */
  function replaceFile(): OpenFile {
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    const path = join(folder, openCallsName());
    const fd = fs.openSync(path, "wx", 0o600);
    const made = { path, fd, size: 0, touching: setInterval(() => touch(fd), touchEveryMs).unref() };
    try {
      let text = "";
      for (const call of written) text += lineOf(call);
      append(made, text);
    } catch (error) {
      remove(made);
      throw error;
    }
    if (file !== undefined) remove(file);
    return made;
  }

  return {
    begin: (call) => unwritten.add(call),
    end(call) {
      if (!unwritten.delete(call) && written.delete(call)) ended += `-${call.id}\n`;
    },
    flush() {
      if (unwritten.size === 0) return;
      let text = ended;
      for (const call of unwritten) {
        call.id = count++;
        text += lineOf(call);
      }
      try {
        if (file === undefined || file.size > maxBytes) file = replaceFile();
        append(file, text);
      } catch (error) {
        // What is in the file now is not known.
        if (file !== undefined) file.size = Infinity;
        throw error;
      }
      for (const call of unwritten) written.add(call);
      unwritten = new InFlight();
      ended = "";
    },
    close() {
      if (file === undefined) return;
      if (written.size === 0) remove(file);
      else {
        clearInterval(file.touching);
        fs.closeSync(file.fd);
      }
      file = undefined;
    },
  };
}

interface OpenFile {
  readonly path: string;
  readonly fd: number;
  readonly touching: NodeJS.Timeout;
  size: number;
}

function remove({ path, fd, touching }: OpenFile): void {
  clearInterval(touching);
  fs.closeSync(fd);
  fs.rmSync(path, { force: true });
}

function append(file: OpenFile, text: string): void {
  const size = Buffer.byteLength(text);
  // A disk that is nearly full writes a part; then all of it goes to a new file.
  if (fs.writeSync(file.fd, text) < size) throw new Error("The disk is full.");
  file.size += size;
}

function lineOf(call: BegunCall): string {
  return `+${call.id} ${formatBegun(call)}\n`;
}

function touch(fd: number): void {
  const now = new Date();
  try {
    fs.futimesSync(fd, now, now);
  } catch {
    // Another process may count this one as dead then, and writes its calls as unfinished.
  }
}
