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
  /** Adds the line whenever others are written; nobody waits for it. */
  appendLater(line: string): void;
  /** Puts this in place of all that was written so far. Whatever is appended from now on comes after it. */
  replace(content: () => string): void;
  close(): Promise<void>;
}

interface Waiting {
  readonly line: string;
  readonly done?: PromiseWithResolvers<void>;
}

/**
 * Lines that come while others are being written leave together, with one flush of the disk for all of them: that is
 * what makes thousands of durable writes a second possible.
 */
export async function openAppendLog(path: string, start: number): Promise<AppendLog> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  let file: FileHandle = await openFile(path);
  // What lies behind the last good line was torn by a crash.
  await file.truncate(start);
  let size = start;
  let queued = 0;
  let queue: Waiting[] = [];
  let replacement: (() => string) | undefined;
  let writing: Promise<void> | undefined;

  return {
    get size() {
      return size + queued;
    },
    append(line) {
      const done = Promise.withResolvers<void>();
      add({ line, done });
      return done.promise;
    },
    appendLater: (line) => add({ line }),
    replace(content) {
      replacement = content;
      writing ??= work();
    },
    async close() {
      await writing;
      await file.close();
    },
  };

  function add(waiting: Waiting): void {
    queue.push(waiting);
    queued += Buffer.byteLength(waiting.line);
    writing ??= work();
  }

  async function work(): Promise<void> {
    // One turn of the loop, so that those who come together leave together.
    await new Promise(setImmediate);
    while (queue.length > 0 || replacement) {
      const batch = queue;
      queue = [];
      queued = 0;
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

  async function write(batch: readonly Waiting[]): Promise<void> {
    const data = Buffer.from(batch.map(({ line }) => line).join(""));
    try {
      // A disk that is nearly full takes a part, and says so only with the rest.
      for (let done = 0; done < data.length;) {
        done += (await file.write(data, done, data.length - done, size + done)).bytesWritten;
      }
      if (batch.some(({ done }) => done !== undefined)) await file.datasync();
      size += data.length;
    } catch (error) {
      // Half a line must not stand before the next one.
      await file.truncate(size).catch(() => {});
      throw error;
    }
  }

  /** The content is taken now, with everything in it that waits in the batch. */
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
  // Not "a": a write that failed half-way has to be written over.
  return open(path, "r+", 0o600).catch(() => open(path, "w+", 0o600));
}
