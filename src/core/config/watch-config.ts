import { type FSWatcher, watch } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { Fault, toFault } from "../fault.ts";
import { sleep } from "../wait.ts";
import type { LoadedConfig } from "./load-config.ts";

export interface WatchOptions {
  readonly path: string;
  /** The text that is in force now; nothing where the file is not there yet. */
  readonly raw: string | undefined;
  /** Makes a configuration of a new text, or faults: with its problems, or because it is not trusted. */
  load(text: string): Promise<LoadedConfig>;
  /** The next change is told when this one is taken up. */
  onChange(loaded: LoadedConfig): void | Promise<void>;
  /** A bad edit. What was in force before stays in force. */
  onProblem(fault: Fault): void;
  /** How long a file must be left alone before it is read: editors write in several strokes. */
  readonly debounceMs?: number;
  /** How often to look without being told: not every file system tells. */
  readonly pollMs?: number;
}

export interface ConfigWatch extends AsyncDisposable {
  /** Looks now. Resolves when what is there is taken up, or told as a problem. */
  look(): Promise<void>;
  close(): Promise<void>;
}

const emptyRereadMs = 250;

/**
 * Follows a file by its name: editors that write a new file and rename it over the old one leave the old one's watchers
 * looking at nothing, so it is the folder that is watched.
 */
export function watchConfig(options: WatchOptions): ConfigWatch {
  const { path, debounceMs = 100, pollMs = 2000 } = options;
  let seen: string | undefined = options.raw;
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> = Promise.resolve();
  let isClosed = false;

  async function look(): Promise<void> {
    const text = await readSettled();
    if (text === seen || isClosed) return;
    seen = text;
    try {
      if (text === undefined)
        throw new Fault("config", `${path} can't be read any more; what it said last still holds.`);
      const loaded = await options.load(text);
      if (!isClosed) await options.onChange(loaded);
    } catch (error) {
      if (!isClosed) options.onProblem(toFault(error));
    }
  }

  /** An editor that writes over a file empties it first: what is empty is read once more before it is believed. */
  async function readSettled(): Promise<string | undefined> {
    const read = (): Promise<string | undefined> => readFile(path, "utf8").catch(() => undefined);
    const text = await read();
    if (text !== "" || seen === "") return text;
    await sleep(emptyRereadMs);
    return read();
  }

  const lookInTurn = (): Promise<void> => (looking = looking.then(look));
  const lookSoon = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => void lookInTurn(), debounceMs);
    timer.unref();
  };
  const poll = setInterval(() => void lookInTurn(), pollMs);
  poll.unref();
  const watcher = watchFolder(path, lookSoon);

  const close = async (): Promise<void> => {
    isClosed = true;
    clearTimeout(timer);
    clearInterval(poll);
    watcher?.close();
    await looking;
  };
  return { look: lookInTurn, close, [Symbol.asyncDispose]: close };
}

/** Nothing where the system can't watch; then the polling has to do. */
function watchFolder(path: string, onEvent: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(dirname(path), { persistent: false }, (_, name) => {
      if (name === null || name === basename(path)) onEvent();
    });
    watcher.on("error", () => watcher.close());
    return watcher;
  } catch {
    return undefined;
  }
}
