import type { Stats } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { Fault, isFault } from "../../core/fault.ts";
import { ignoreMissing, isSameFile, lookEveryMs, statOf } from "../../core/files/rotating-file.ts";
import { sleep } from "../../core/wait.ts";
import { type AuditLine, parseAuditLine } from "./audit-line.ts";

export interface ReadAuditOptions {
  readonly file: string;
  /** Waits for more lines at the end, until `signal` aborts. */
  readonly follow?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Only lines after this position, which is the `end` of a line. */
  readonly after?: string | undefined;
}

/** A line, and the position after it. */
export interface PlacedAuditLine {
  readonly line: AuditLine;
  readonly end: string;
}

const pollDelay = 150;
const maxAttempts = 50;
/** A number that is still free after this many attempts was left free by a process that was killed. */
const attemptsForGap = 10;
const chunkSize = 64 * 1024;
/** After this time no process appends to a file that was rotated. */
const settleMs = 5 * lookEveryMs;

/** Every line that is still kept, oldest first. A file that is rotated while it is read is still read to its end. */
export async function* readAudit(options: ReadAuditOptions): AsyncGenerator<AuditLine> {
  for await (const { line } of readAuditLines(options)) yield line;
}

/** The same, with a position after each line that reading can continue from. */
export async function* readAuditLines(options: ReadAuditOptions): AsyncGenerator<PlacedAuditLine> {
  for await (const { text, end, isCut } of readLines(options)) {
    const line = isCut ? undefined : parseAuditLine(text);
    if (line !== undefined) yield { line, end };
  }
}

/** A line as it is in the file, whatever it holds. */
export interface FileLine {
  readonly text: string;
  /** The position after it. */
  readonly end: string;
  readonly path: string;
  /** Counted from where reading began in this file. */
  readonly number: number;
  /** Whether it is the last of its file and has no end: a process was killed while it wrote, or writes just now. */
  readonly isCut: boolean;
}

export async function* readLines(options: ReadAuditOptions): AsyncGenerator<FileLine> {
  const { file, follow = false, signal, after = "" } = options;
  const start = parsePosition(after);
  let opened = await openFirst(file, start);
  let reader = opened && (await createLineReader(opened, start));
  let next: OpenedFile | undefined;
  try {
    while (!signal?.aborted) {
      if (opened !== undefined && reader !== undefined) {
        next = await openNext(file, opened.handle);
        if (next !== undefined && (await isFresh(opened.handle))) await sleep(settleMs);
        // Looking for the next file comes first: whatever was appended to this one before is read now, so no line is lost.
        for await (const line of reader.rest()) yield line;
        if (next !== undefined) {
          const cut = reader.cut();
          if (cut !== undefined) yield cut;
          await opened.handle.close();
          opened = next;
          next = undefined;
          reader = await createLineReader(opened);
          continue;
        }
      }
      if (!follow) {
        const cut = reader?.cut();
        if (cut !== undefined) yield cut;
        return;
      }
      if (!(await waited(signal))) return;
      opened ??= await openFirst(file, start);
      reader ??= opened && (await createLineReader(opened, start));
    }
  } finally {
    await opened?.handle.close();
    await next?.handle.close();
  }
}

/** Whether another process may still append to a file that was rotated. */
async function isFresh(handle: FileHandle): Promise<boolean> {
  return Math.abs(Date.now() - (await handle.stat()).mtimeMs) < settleMs;
}

/** A file, which keeps its inode when it is rotated, and how many bytes of it were read. */
export interface Position {
  readonly inode: number;
  readonly offset: number;
}

export const notAnId = "This is not the id of a call. `clawport audit` prints the ids.";

/** An empty text is the beginning. */
export function parsePosition(text: string): Position | undefined {
  if (text === "") return undefined;
  const [, inode, offset] = /^(\d{1,20})-(\d{1,15})$/.exec(text) ?? [];
  if (inode === undefined) throw new Fault("bad-params", notAnId);
  return { inode: Number(inode), offset: Number(offset) };
}

export interface OpenedFile {
  readonly handle: FileHandle;
  readonly path: string;
}

interface LineReader {
  rest(): AsyncGenerator<FileLine>;
  /** What comes after the last whole line. */
  cut(): FileLine | undefined;
}

async function createLineReader({ handle, path }: OpenedFile, start?: Position): Promise<LineReader> {
  const chunk = Buffer.allocUnsafe(chunkSize);
  const { ino, size } = await handle.stat();
  // Another file may have the same inode by now.
  let offset = start?.inode === ino && start.offset <= size ? start.offset : 0;
  let unfinished = Buffer.alloc(0);
  let number = 0;
  return {
    async *rest() {
      for (;;) {
        const { bytesRead } = await handle.read(chunk, 0, chunkSize, offset + unfinished.length);
        if (bytesRead === 0) return;
        const bytes = Buffer.concat([unfinished, chunk.subarray(0, bytesRead)]);
        let from = 0;
        for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, from)) {
          const text = bytes.toString("utf8", from, end);
          offset += end + 1 - from;
          from = end + 1;
          unfinished = bytes.subarray(from);
          yield { text, end: `${ino}-${offset}`, path, number: ++number, isCut: false };
        }
        unfinished = bytes.subarray(from);
      }
    },
    cut() {
      const end = `${ino}-${offset + unfinished.length}`;
      const cut = { text: unfinished.toString("utf8"), end, path, number: number + 1, isCut: true };
      return unfinished.length === 0 ? undefined : cut;
    },
  };
}

export interface AuditFile {
  readonly path: string;
  readonly stats: Stats;
}

/** The file that the position is in; if it is gone, or none was given, the oldest. */
async function openFirst(file: string, start: Position | undefined): Promise<OpenedFile | undefined> {
  return openChosen(file, (kept) => kept.find(({ stats }) => stats.ino === start?.inode) ?? kept.at(-1));
}

/** The file after the one that is open; undefined if that one is still the newest. */
async function openNext(file: string, handle: FileHandle): Promise<OpenedFile | undefined> {
  const mine = await handle.stat();
  return openChosen(file, (kept) => {
    const index = kept.findIndex(({ stats }) => isSameFile(stats, mine));
    // It was deleted: all files that are left come after it.
    return kept.at(index === -1 ? -1 : index - 1 >= 0 ? index - 1 : kept.length);
  });
}

/** A rotation may rename files between stat and open: the opened file must be the chosen one. */
export async function openChosen(
  file: string,
  choose: (kept: readonly AuditFile[]) => AuditFile | undefined,
): Promise<OpenedFile | undefined> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const kept = await keptFiles(file, attempt > attemptsForGap);
    const chosen = kept && choose(kept);
    if (kept !== undefined && chosen === undefined) return undefined;
    const handle = chosen && (await open(chosen.path, "r").catch(ignoreMissing));
    if (handle !== undefined && isSameFile(await handle.stat(), chosen!.stats)) return { handle, path: chosen!.path };
    await handle?.close();
    await sleep(attempt);
  }
  return undefined;
}

/**
 * All files of the audit, newest first; undefined if they were rotated meanwhile. A rotation shows as a gap in the
 * numbers, or as a newest file that differs from the one at the start: then a file may have been missed.
 */
async function keptFiles(file: string, allowGap: boolean): Promise<readonly AuditFile[] | undefined> {
  const kept: AuditFile[] = [];
  const first = await statOf(file);
  let missing = 0;
  for (let index = 1; missing < 2; index++) {
    const path = `${file}.${index}`;
    const stats = await statOf(path);
    if (stats === undefined) missing++;
    else if (missing > 0 && !allowGap) return undefined;
    else kept.push({ path, stats });
  }
  const stats = await statOf(file);
  if (stats === undefined) return first === undefined ? kept : undefined;
  return first !== undefined && isSameFile(first, stats) ? [{ path: file, stats }, ...kept] : undefined;
}

async function waited(signal: AbortSignal | undefined): Promise<boolean> {
  try {
    await sleep(pollDelay, signal);
    return true;
  } catch (error) {
    if (isFault(error)) return false;
    throw error;
  }
}
