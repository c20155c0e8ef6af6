import type { Stats } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { StringDecoder } from "node:string_decoder";
import { isFault } from "../../core/fault.ts";
import { ignoreMissing, isSameFile, statOf } from "../../core/files/rotating-file.ts";
import { sleep } from "../../core/wait.ts";
import { type AuditLine, parseAuditLine } from "./audit-line.ts";

export interface ReadAuditOptions {
  readonly file: string;
  /** Waits for more instead of ending; an abort ends it. */
  readonly follow?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

const pollDelay = 150;
const mostAttempts = 50;
const chunkSize = 64 * 1024;

/** Every line that is still kept, oldest first. Files rotated away while reading are read to their end all the same. */
export async function* readAudit({ file, follow = false, signal }: ReadAuditOptions): AsyncGenerator<AuditLine> {
  let handle = await openOldest(file);
  let reader = handle && createLineReader(handle);
  try {
    while (!signal?.aborted) {
      if (handle !== undefined && reader !== undefined) {
        const next = await openNext(file, handle);
        // What was appended before the next file came into being is read after that was seen: nothing falls between.
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

/** The file that came after the one being read; nothing where that is still the newest. */
async function openNext(file: string, handle: FileHandle): Promise<FileHandle | undefined> {
  const mine = await handle.stat();
  return openChosen(file, (kept) => {
    const index = kept.findIndex(({ stats }) => isSameFile(stats, mine));
    // Not there any more: all that are have come after it.
    return kept.at(index === -1 ? -1 : index - 1 >= 0 ? index - 1 : kept.length);
  });
}

/** A rotation may rename files between looking and opening: what was opened must be what was looked at. */
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
 * All files of the audit, newest first; nothing where they were rotated meanwhile. That shows as a gap in the numbers,
 * or as another newest file than there was at first: then the one before it may have been passed over.
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
