import * as fs from "node:fs";
import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import { codeOf } from "../fault.ts";

export interface RotatingFile {
  /**
   * Appends the text, or the function's result after `onFound` was called. When it returns, the system has the text, so
   * the text outlives this process, even after `kill -9`.
   */
  append(text: string | (() => string)): void;
  /** After an append that threw: how many whole lines of it are in the file. */
  linesOfFailed(): number;
  close(): void;
}

export interface RotatingFileOptions {
  readonly file: string;
  /** Past this size the file becomes `<file>.1`, the one before it `<file>.2`, and so on. */
  readonly maxBytes: number;
  /** How many of those are kept; at least one. */
  readonly keep: number;
  /** Called before an append if the file has more than what was appended here. */
  readonly onFound?: ((found: FoundLines) => void) | undefined;
}

export interface FoundLines {
  /** A last line without a line feed was cut off by a crash. */
  readonly text: string;
  /** The lines are the last ones of the file, and do not follow those of the last call. */
  readonly isTail: boolean;
}

interface OpenFile {
  readonly fd: number;
  readonly stats: fs.Stats;
  /** The size when it was last read. */
  seen: number;
  /** The size after our last append, if no one else appended. */
  expected: number;
}

/** How long an append may still go to a file that another process has rotated. */
export const lookEveryMs = 10;

/** Rotating takes milliseconds. */
const staleLockMs = 5000;

/** If more than this was appended, only the end is read. */
const tailBytes = 256 * 1024;

/**
 * An owner-only file that several processes may append to: each checks whether another has rotated the file, and
 * follows. Synchronous, since what waits to be written is lost if the process is killed.
 */
export function createRotatingFile({ file, maxBytes, keep, onFound }: RotatingFileOptions): RotatingFile {
  let current: OpenFile | undefined;
  let isTorn = false;
  let linesWritten = 0;
  let lookedAt = -Infinity;

  function close(): void {
    if (current !== undefined) fs.closeSync(current.fd);
    current = undefined;
  }

  function open(): OpenFile {
    fs.mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const fd = fs.openSync(file, "a+", 0o600);
    fs.fchmodSync(fd, 0o600);
    return { fd, stats: fs.fstatSync(fd), seen: 0, expected: 0 };
  }

  /** Opens the file again if another process has rotated it, and reads what others have appended. */
  function refresh(): OpenFile {
    const time = Date.now();
    // A look makes the next write twice as slow: file systems give it a time of its own.
    if (current !== undefined && current.expected >= 0 && !onFound && Math.abs(time - lookedAt) < lookEveryMs)
      return current;
    lookedAt = time;
    const there = fs.statSync(file, { throwIfNoEntry: false });
    if (current !== undefined && there !== undefined && isSameFile(current.stats, there)) {
      if (there.size !== current.expected) readFound(current, there.size);
      current.seen = current.expected;
      return current;
    }
    const opened = open();
    const isFollowed = current !== undefined && onFound !== undefined && readRest(current);
    close();
    current = opened;
    if (onFound !== undefined && !isFollowed && opened.stats.size === 0) readPrevious();
    readFound(opened, opened.stats.size, !isFollowed);
    // What was read may be newer than this file if others have rotated it meanwhile.
    const now = fs.statSync(file, { throwIfNoEntry: false });
    return now !== undefined && isSameFile(now, opened.stats) ? opened : refresh();
  }

  /** What others have written to a file that was rotated. False if that is not the latest rotation. */
  function readRest(opened: OpenFile): boolean {
    const previous = fs.statSync(`${file}.1`, { throwIfNoEntry: false });
    if (previous === undefined || !isSameFile(previous, opened.stats)) return false;
    if (previous.size !== opened.expected) readFound(opened, previous.size);
    return true;
  }

  function readPrevious(): void {
    if (!fs.existsSync(`${file}.1`)) return;
    const fd = fs.openSync(`${file}.1`, "r");
    const stats = fs.fstatSync(fd);
    readFound({ fd, stats, seen: 0, expected: 0 }, stats.size, true);
    fs.closeSync(fd);
  }

  function readFound(opened: OpenFile, size: number, isTail = false): void {
    let end = size;
    while (!endsWithLine(opened.fd, end)) {
      // Perhaps another process is still writing the rest.
      pause(1);
      const now = fs.fstatSync(opened.fd).size;
      if (now === end) break;
      end = now;
    }
    isTorn = !endsWithLine(opened.fd, end);
    if (onFound !== undefined && end > opened.seen) {
      const start = Math.max(opened.seen, end - tailBytes);
      const text = readText(opened.fd, start, end);
      if (start === opened.seen) onFound({ text, isTail });
      else onFound({ text: text.slice(text.indexOf("\n") + 1), isTail: true });
    }
    opened.seen = end;
    opened.expected = end;
  }

  /** False if another process rotates the file at this moment. */
  function rotate(full: OpenFile): boolean {
    const lock = `${file}.rotating`;
    if (!takeLock(lock)) return false;
    try {
      const there = fs.statSync(file, { throwIfNoEntry: false });
      // Another process may have been quicker.
      if (there !== undefined && isSameFile(there, full.stats)) moveFiles();
    } finally {
      fs.rmSync(lock, { force: true });
    }
    lookedAt = -Infinity;
    return true;
  }

  function moveFiles(): void {
    let free = 1;
    // A process that was killed here before may have left a number free.
    while (free < keep && fs.existsSync(`${file}.${free}`)) free++;
    for (let index = free - 1; index >= 1; index--) fs.renameSync(`${file}.${index}`, `${file}.${index + 1}`);
    fs.renameSync(file, `${file}.1`);
  }

  return {
    append(text) {
      linesWritten = 0;
      let target = refresh();
      let lines = typeof text === "string" ? text : text();
      while (target.expected > 0 && target.expected + Buffer.byteLength(lines) > maxBytes) {
        if (!rotate(target)) break;
        target = refresh();
        if (typeof text !== "string") lines = text();
      }
      const { expected } = target;
      // In case it fails: then the file is read again.
      target.expected = -1;
      const own = isTorn ? `\n${lines}` : lines;
      const { bytes, error } = writeWhole(target.fd, own);
      if (error !== undefined) {
        linesWritten = countLines(own, bytes) - (isTorn && bytes > 0 ? 1 : 0);
        throw error;
      }
      target.expected = expected + bytes;
      isTorn = false;
    },
    linesOfFailed: () => linesWritten,
    close,
  };
}

/** Returns how much was written. A disk that is nearly full writes a part without an error; only the rest fails. */
function writeWhole(fd: number, text: string): { readonly bytes: number; readonly error?: Error } {
  const size = Buffer.byteLength(text);
  let done = 0;
  try {
    done = fs.writeSync(fd, text);
    for (const bytes = done < size ? Buffer.from(text) : undefined; bytes && done < size;)
      done += fs.writeSync(fd, bytes, done);
    return { bytes: size };
  } catch (error) {
    return { bytes: done, error: error as Error };
  }
}

function countLines(text: string, bytes: number): number {
  return Buffer.from(text).subarray(0, bytes).toString("latin1").split("\n").length - 1;
}

/** False if another process has it. One that is older was left by a process that was killed. */
function takeLock(lock: string): boolean {
  try {
    fs.closeSync(fs.openSync(lock, "wx", 0o600));
    return true;
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
  const made = fs.statSync(lock, { throwIfNoEntry: false })?.mtimeMs;
  if (made !== undefined && Math.abs(Date.now() - made) > staleLockMs) fs.rmSync(lock, { force: true });
  return false;
}

function endsWithLine(fd: number, size: number): boolean {
  return size === 0 || readText(fd, size - 1, size) === "\n";
}

function readText(fd: number, start: number, end: number): string {
  const bytes = Buffer.alloc(end - start);
  const length = fs.readSync(fd, bytes, 0, bytes.length, start);
  return bytes.toString("utf8", 0, length);
}

function pause(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

/** Device and inode identify a file whatever its name is. */
export function isSameFile(one: fs.Stats, other: fs.Stats): boolean {
  return one.ino === other.ino && one.dev === other.dev;
}

export async function statOf(path: string): Promise<fs.Stats | undefined> {
  return stat(path).catch(ignoreMissing);
}

export function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}
