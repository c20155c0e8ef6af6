import { type FileHandle, mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import { Fault, messageOf } from "../fault.ts";
import { writeFileAtomic } from "./write-file-atomic.ts";

/** A file that is only ever added to, or replaced as a whole. */
export interface AppendLog {
  /** Bytes in the file and on their way to it. */
  readonly size: number;
  /** Resolves when the line would survive a power failure. */
  append(line: string): Promise<void>;
  /** Adds the line without waiting; it is lost if the power fails before the next flush. */
  appendLater(line: string): void;
  /** Replaces everything written so far. What is appended from now on comes after it. */
  replace(content: () => string): void;
  close(): Promise<void>;
}

interface PendingLine {
  readonly line: string;
  readonly done?: PromiseWithResolvers<void>;
}

/**
 * Lines that arrive while others are being written are written together, with one flush of the disk for all: that makes
 * thousands of durable writes a second possible. `start` is the length of the good part of an existing file.
 */
export async function openAppendLog(path: string, start: number): Promise<AppendLog> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  let file: FileHandle = await openFile(path);
  // A crash may have left half a line after the last good one.
  await file.truncate(start);
  let size = start;
  let queuedBytes = 0;
  let queue: PendingLine[] = [];
  let replacement: (() => string) | undefined;
  let writing: Promise<void> | undefined;

  return {
    get size() {
      return size + queuedBytes;
    },
    append(line) {
      const done = Promise.withResolvers<void>();
      add({ line, done });
      return done.promise;
    },
    appendLater: (line) => add({ line }),
    replace(content) {
      replacement = content;
      writing ??= writeQueue();
    },
    async close() {
      await writing;
      await file.close();
    },
  };

  function add(pending: PendingLine): void {
    queue.push(pending);
    queuedBytes += Buffer.byteLength(pending.line);
    writing ??= writeQueue();
  }

  async function writeQueue(): Promise<void> {
    // One turn of the event loop, so that lines that come together are written together.
    await new Promise(setImmediate);
    while (queue.length > 0 || replacement) {
      const batch = queue;
      queue = [];
      queuedBytes = 0;
      try {
        await (replacement ? rewrite(replacement) : write(batch));
        for (const { done } of batch) done?.resolve();
      } catch (cause) {
        const message = `Could not write ${path}: ${messageOf(cause)}. Check free space and permissions.`;
        for (const { done } of batch) done?.reject(new Fault("io", message, { cause }));
      }
    }
    writing = undefined;
  }

  async function write(batch: readonly PendingLine[]): Promise<void> {
    const data = Buffer.from(batch.map(({ line }) => line).join(""));
    try {
      // A disk that is nearly full writes a part without an error; only the rest fails.
      for (let done = 0; done < data.length;) {
        done += (await file.write(data, done, data.length - done, size + done)).bytesWritten;
      }
      if (batch.some(({ done }) => done !== undefined)) await file.datasync();
      size += data.length;
    } catch (error) {
      // Half a line must not precede the next one.
      await file.truncate(size).catch(() => {});
      throw error;
    }
  }

  /** Takes the content now: it already includes the lines of the batch. */
  async function rewrite(content: () => string): Promise<void> {
    replacement = undefined;
    const text = content();
    await writeFileAtomic(path, text);
    await file.close();
    file = await openFile(path);
    size = Buffer.byteLength(text);
  }
}

function openFile(path: string): Promise<FileHandle> {
  // Not "a": a write that failed half-way must be overwritten.
  return open(path, "r+", 0o600).catch(() => open(path, "w+", 0o600));
}
