import type { Stats } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { StringDecoder } from "node:string_decoder";
import { isFault } from "../../core/fault.ts";
import { ignoreMissing, isSameFile, statOf } from "../../core/files/rotating-file.ts";
import { sleep } from "../../core/wait.ts";
import { type AuditLine, parseAuditLine } from "./audit-line.ts";

export interface ReadAuditOptions {
  readonly file: string;
  /** Waits for more lines at the end, until `signal` aborts. */
  readonly follow?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

const pollDelay = 150;
const mostAttempts = 50;
const chunkSize = 64 * 1024;

/** Every line that is still kept, oldest first. A file that is rotated while it is read is still read to its end. */
export async function* readAudit({ file, follow = false, signal }: ReadAuditOptions): AsyncGenerator<AuditLine> {
  let handle = await openOldest(file);
  let reader = handle && createLineReader(handle);
  try {
    while (!signal?.aborted) {
      if (handle !== undefined && reader !== undefined) {
        const next = await openNext(file, handle);
        // Looking for the next file comes first: whatever was appended to this one before is read now, so no line is lost.
        for await (const line of reader.rest()) yield line;
        if (next !== undefined) {
          await handle.close();
          handle = next;
          reader = createLineReader(next);
          continue;
        }
      }
      if (!follow || !(await waited(signal))) return;
      handle ??= await openOldest(file);
      reader ??= handle && createLineReader(handle);
    }
  } finally {
    await handle?.close();
  }
}

function createLineReader(handle: FileHandle): { rest(): AsyncGenerator<AuditLine> } {
  const decoder = new StringDecoder("utf8");
  const chunk = Buffer.allocUnsafe(chunkSize);
  let unfinished = "";
  return {
    async *rest() {
      for (;;) {
        const { bytesRead } = await handle.read(chunk, 0, chunkSize);
        if (bytesRead === 0) return;
        const lines = (unfinished + decoder.write(chunk.subarray(0, bytesRead))).split("\n");
        unfinished = lines.pop()!;
        for (const text of lines) {
          const line = parseAuditLine(text);
          if (line !== undefined) yield line;
        }
      }
    },
  };
}

interface KeptFile {
  readonly path: string;
  readonly stats: Stats;
}

async function openOldest(file: string): Promise<FileHandle | undefined> {
  return openChosen(file, (kept) => kept.at(-1));
}

/** The file after the one that is open; undefined if that one is still the newest. */
async function openNext(file: string, handle: FileHandle): Promise<FileHandle | undefined> {
  const mine = await handle.stat();
  return openChosen(file, (kept) => {
    const index = kept.findIndex(({ stats }) => isSameFile(stats, mine));
    // It was deleted: all files that are left come after it.
    return kept.at(index === -1 ? -1 : index - 1 >= 0 ? index - 1 : kept.length);
  });
}

/** A rotation may rename files between stat and open: the opened file must be the chosen one. */
async function openChosen(
  file: string,
  choose: (kept: readonly KeptFile[]) => KeptFile | undefined,
): Promise<FileHandle | undefined> {
  for (let attempt = 0; attempt < mostAttempts; attempt++) {
    const kept = await keptFiles(file);
    const chosen = kept && choose(kept);
    if (kept !== undefined && chosen === undefined) return undefined;
    const handle = chosen && (await open(chosen.path, "r").catch(ignoreMissing));
    if (handle !== undefined && isSameFile(await handle.stat(), chosen!.stats)) return handle;
    await handle?.close();
    await sleep(attempt);
  }
  return undefined;
}

/**
 * All files of the audit, newest first; undefined if they were rotated meanwhile. A rotation shows as a gap in the
 * numbers, or as a newest file that differs from the one at the start: then a file may have been missed.
 */
async function keptFiles(file: string): Promise<readonly KeptFile[] | undefined> {
  const kept: KeptFile[] = [];
  const first = await statOf(file);
  let missing = 0;
  for (let index = 1; missing < 2; index++) {
    const path = `${file}.${index}`;
    const stats = await statOf(path);
    if (stats === undefined) missing++;
    else if (missing > 0) return undefined;
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
