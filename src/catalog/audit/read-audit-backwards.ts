import { Fault } from "../../core/fault.ts";
import { type AuditFile, type OpenedFile, notAnId, openChosen, parsePosition } from "./read-audit.ts";

/** A whole line as it is in the file, and the position after it, which names it. */
export interface BackwardLine {
  readonly text: string;
  readonly end: string;
}

const chunkSize = 256 * 1024;
/** No line that was written here is longer. */
const maxLineLength = 64 * 1024;

/**
 * Every whole line that is still kept, newest first, in batches of one chunk of a file: a search over all of them holds no
 * more than that. `before` is the end of a line; only those before it are read.
 */
export async function* readAuditBackwards(file: string, before = ""): AsyncGenerator<readonly BackwardLine[]> {
  const start = parsePosition(before);
  let opened = await openChosen(file, (kept) =>
    start === undefined ? kept[0] : kept.find(({ stats }) => stats.ino === start.inode),
  );
  let limit = start === undefined ? undefined : start.offset - 1;
  while (opened !== undefined) {
    const { ino } = await opened.handle.stat();
    try {
      yield* readFileBackwards(opened, limit);
    } finally {
      await opened.handle.close();
    }
    limit = undefined;
    opened = await openChosen(file, (kept) => olderThan(kept, ino));
  }
}

/** The line of this position; undefined if it is no longer kept. */
export async function readAuditLineAt(file: string, end: string): Promise<string | undefined> {
  const position = parsePosition(end);
  if (position === undefined) throw new Fault("bad-params", notAnId);
  const { inode, offset } = position;
  const opened = await openChosen(file, (kept) => kept.find(({ stats }) => stats.ino === inode));
  if (opened === undefined) return undefined;
  try {
    const from = Math.max(0, offset - maxLineLength);
    const { buffer, bytesRead } = await opened.handle.read(Buffer.alloc(offset - from), 0, offset - from, from);
    if (bytesRead !== offset - from || buffer.at(-1) !== newline) return undefined;
    return buffer.toString("utf8", buffer.lastIndexOf(newline, -2) + 1, buffer.length - 1);
  } finally {
    await opened.handle.close();
  }
}

const newline = 10;

function olderThan(kept: readonly AuditFile[], inode: number): AuditFile | undefined {
  const index = kept.findIndex(({ stats }) => stats.ino === inode);
  return index === -1 ? undefined : kept[index + 1];
}

/** What comes after the last line break before `limit` is not a whole line, or the one that was read before. */
async function* readFileBackwards(
  { handle }: OpenedFile,
  limit: number | undefined,
): AsyncGenerator<readonly BackwardLine[]> {
  const { ino, size } = await handle.stat();
  let at = Math.min(limit ?? size, size);
  let rest = Buffer.alloc(0);
  let isFirst = true;
  while (at > 0) {
    const length = Math.min(chunkSize, at);
    at -= length;
    const chunk = Buffer.allocUnsafe(length);
    await handle.read(chunk, 0, length, at);
    const bytes = Buffer.concat([chunk, rest]);
    const from = at === 0 ? 0 : bytes.indexOf(newline) + 1;
    // A line that is longer than a chunk goes on in the next one. Rubbish without any line break is not kept for ever.
    if (at > 0 && from === 0) {
      rest = bytes.length > maxLineLength + chunkSize ? Buffer.alloc(0) : bytes;
      continue;
    }
    rest = Buffer.from(bytes.subarray(0, at === 0 ? 0 : from));
    const lines: BackwardLine[] = [];
    let end = bytes.length;
    if (isFirst) end = bytes.lastIndexOf(newline) + 1;
    isFirst = false;
    while (end > from) {
      const begin = end < 2 ? from : Math.max(from, bytes.lastIndexOf(newline, end - 2) + 1);
      lines.push({ text: bytes.toString("utf8", begin, end - 1), end: `${ino}-${at + end}` });
      end = begin;
    }
    yield lines;
  }
}
