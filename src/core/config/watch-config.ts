import { type FSWatcher, watch } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { Fault, toFault } from "../fault.ts";
import { sleep } from "../wait.ts";
import type { LoadedConfig } from "./load-config.ts";

export interface WatchOptions {
  readonly path: string;
  /** The active text; undefined if the file does not exist yet. */
  readonly raw: string | undefined;
  /** Loads a new text; throws if it has problems or is not trusted. */
  load(text: string): Promise<LoadedConfig>;
  /** The next change is reported when this one has been applied. */
  onChange(loaded: LoadedConfig): void | Promise<void>;
  /** The new text can't be used. The previous configuration stays active. */
  onProblem(fault: Fault): void;
  /** How long a file must stay unchanged before it is read: editors write in several steps. */
  readonly debounceMs?: number;
  /** How often to look without a notification: not every file system sends them. */
  readonly pollMs?: number;
}

export interface ConfigWatch extends AsyncDisposable {
  /** Looks now. Resolves when the file's content has been applied, or reported as a problem. */
  look(): Promise<void>;
  close(): Promise<void>;
}

const emptyRereadMs = 250;

/**
 * Watches the folder, not the file: editors that write a new file and rename it over the old one would leave a watcher of
 * the old file without events.
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
        throw new Fault("config", `${path} can't be read any more. Keeping the previous configuration.`);
      const loaded = await options.load(text);
      if (!isClosed) await options.onChange(loaded);
    } catch (error) {
      if (!isClosed) options.onProblem(toFault(error));
    }
  }

  /** An editor that overwrites a file empties it first, so an empty file is read once more. */
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

/** Undefined if the system can't watch; then polling has to do. */
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
