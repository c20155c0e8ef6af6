import { withFileLock } from "./file-lock.ts";
import { silentLog, type Log } from "./log.ts";
import { readJsonFile } from "./read-json-file.ts";
import { setAside } from "./set-aside.ts";
import { writeFileAtomic } from "./write-file-atomic.ts";

export interface StateFileOptions<T> {
  readonly path: string;
  /** Checks what was read and gives it its type; throws when it is not what this file holds. */
  readonly parse: (value: unknown) => T;
  /** What a missing file means. Every reader gets a copy of its own. */
  readonly empty: T;
  readonly log?: Log;
  readonly now?: () => Date;
}

/** A small JSON file of ours: owner-only, written whole or not at all, shared safely by several processes. */
export interface StateFile<T> {
  readonly path: string;
  read(): Promise<T>;
  /** Reads, changes and writes under a lock; gives what is in the file afterwards. */
  update(change: (current: T) => T | Promise<T>, signal?: AbortSignal): Promise<T>;
}

/** A damaged file is set aside as `<name>.damaged-<time>` and reported: it is never overwritten in silence. */
export function openStateFile<T>(options: StateFileOptions<T>): StateFile<T> {
  const { path, parse, empty, log = silentLog, now = () => new Date() } = options;

  function locked<R>(signal: AbortSignal | undefined, work: () => Promise<R>): Promise<R> {
    return withFileLock(`${path}.lock`, signal ? { signal, log } : { log }, work);
  }

  async function readLocked(): Promise<{ value: T; text?: string }> {
    const file = await readJsonFile(path, parse);
    if (file.state === "good") return file;
    if (file.state === "damaged") {
      const aside = await setAside(path, now());
      log.error("a state file was damaged; it was set aside and a new one begun", { path, aside, error: file.error });
    }
    return { value: structuredClone(empty) };
  }

  return {
    path,
    read: async () => {
      const file = await readJsonFile(path, parse);
      if (file.state === "good") return file.value;
      if (file.state === "missing") return structuredClone(empty);
      return locked(undefined, async () => (await readLocked()).value);
    },
    update: (change, signal) =>
      locked(signal, async () => {
        const { value, text } = await readLocked();
        const next = await change(value);
        const nextText = `${JSON.stringify(next, undefined, 2)}\n`;
        if (nextText !== text) await writeFileAtomic(path, nextText);
        return next;
      }),
  };
}
