import { readFile, rename } from "node:fs/promises";
import { codeOf, Fault, messageOf } from "../fault.ts";
import { type Log, silentLog } from "../log.ts";
import { withFileLock } from "./file-lock.ts";
import { writeFileAtomic } from "./write-file-atomic.ts";

export interface StateFileOptions<T> {
  readonly path: string;
  /** Checks what was read and gives it its type; throws if the file should not hold that. */
  readonly parse: (value: unknown) => T;
  /** What a missing file means. Every reader gets a copy of its own. */
  readonly empty: T;
  readonly log?: Log;
  readonly now?: () => Date;
}

/** A small JSON file: owner-only, written whole or not at all, safe to share between processes. */
export interface StateFile<T> {
  readonly path: string;
  read(): Promise<T>;
  /** Reads, changes and writes under a lock. Returns what is in the file afterwards. */
  update(change: (current: T) => T | Promise<T>, signal?: AbortSignal): Promise<T>;
}

/** A damaged file is renamed to `<name>.damaged-<time>` and reported; it is never overwritten. */
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

export type JsonFile<T> =
  | { readonly state: "missing" }
  | { readonly state: "good"; readonly value: T; readonly text: string }
  | { readonly state: "damaged"; readonly error: unknown };

/**
 * What is in a JSON file. A file that can't be read (permissions, a failing disk) is a fault and not "missing" or
 * "damaged": a caller that took it for either would overwrite good data.
 */
export async function readJsonFile<T>(path: string, parse: (value: unknown) => T): Promise<JsonFile<T>> {
  const text = await readText(path);
  if (text === undefined) return { state: "missing" };
  try {
    return { state: "good", value: parse(JSON.parse(text)), text };
  } catch (error) {
    return { state: "damaged", error };
  }
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    const message = `Could not read ${path}: ${messageOf(error)}. Check its permissions.`;
    throw new Fault("io", message, { cause: error });
  }
}

/**
 * Renames a damaged file to `<name>.damaged-<time>`, so that a person can still look at it. Returns the new path. Call it
 * only while you hold the file's lock.
 */
export async function setAside(path: string, now: Date = new Date()): Promise<string> {
  const aside = `${path}.damaged-${now.toISOString().replace(/[-:.]/g, "")}`;
  try {
    await rename(path, aside);
    return aside;
  } catch (error) {
    const message = `${path} is damaged and could not be renamed: ${messageOf(error)}. Move it away and try again.`;
    throw new Fault("io", message, { cause: error });
  }
}
