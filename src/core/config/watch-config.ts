import { type FSWatcher, watch } from "node:fs";
import { basename, dirname } from "node:path";
import { codeOf, Fault, toFault } from "../fault.ts";
import { sleep } from "../wait.ts";
import { type LoadedConfig, readConfigText } from "./load-config.ts";

export interface WatchOptions {
  readonly path: string;
  /** The active text; undefined if the file does not exist yet. */
  readonly raw: string | undefined;
  /** Loads a new text; throws if it has problems or is not trusted. */
  load(text: string): Promise<LoadedConfig>;
  /** Changes if what the text refers to has changed: then it is loaded again, although it is the same. */
  stamp?(): Promise<string>;
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
  /** Looks now. Resolves when the file's content has been applied, or reported as a problem. Tries a refused text again. */
  probe(): Promise<void>;
  close(): Promise<void>;
}

/** The file as it was read. Neither is set if it does not exist. */
interface Reading {
  readonly text?: string;
  readonly fault?: Fault;
}

const emptyRereadMs = 250;

/**
 * Watches the folder, not the file: editors that write a new file and rename it over the old one would leave a watcher of
 * the old file without events.
 */
export function watchConfig(options: WatchOptions): ConfigWatch {
  const { path, debounceMs = 100, pollMs = 2000 } = options;
  let seen: Reading = options.raw === undefined ? {} : { text: options.raw };
  let isRefused = false;
  let stamp = options.stamp?.();
  let timer: NodeJS.Timeout | undefined;
  let probing: Promise<void> = Promise.resolve();
  let isClosed = false;

  async function probe(isRequested: boolean): Promise<void> {
    const found = await readSettled();
    const before = stamp;
    stamp = options.stamp?.();
    const isStale = (await before) !== (await stamp);
    if ((isSame(found, seen) && !isStale && !(isRequested && isRefused)) || isClosed) return;
    seen = found;
    try {
      const { text, fault } = found;
      if (text === undefined)
        throw new Fault(
          "config",
          `${fault?.message ?? `${path} does not exist any more.`} Keeping the previous configuration.`,
        );
      const loaded = await options.load(text);
      isRefused = false;
      if (!isClosed) await options.onChange(loaded);
    } catch (error) {
      isRefused = true;
      if (!isClosed) options.onProblem(toFault(error));
    }
  }

  /** An editor that overwrites a file empties it first, so an empty file is read once more. */
  async function readSettled(): Promise<Reading> {
    const found = await readNow(path);
    if (found.text !== "" || seen.text === "") return found;
    await sleep(emptyRereadMs);
    return readNow(path);
  }

  const probeInTurn = (isRequested = false): Promise<void> => (probing = probing.then(() => probe(isRequested)));
  const lookSoon = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => void probeInTurn(), debounceMs);
    timer.unref();
  };
  const poll = setInterval(() => void probeInTurn(), pollMs);
  poll.unref();
  const watcher = watchFolder(path, lookSoon);

  const close = async (): Promise<void> => {
    isClosed = true;
    clearTimeout(timer);
    clearInterval(poll);
    watcher?.close();
    await probing;
  };
  return { probe: () => probeInTurn(true), close, [Symbol.asyncDispose]: close };
}

async function readNow(path: string): Promise<Reading> {
  try {
    return { text: await readConfigText(path) };
  } catch (error) {
    const fault = toFault(error);
    return codeOf(fault.cause) === "ENOENT" ? {} : { fault };
  }
}

function isSame(one: Reading, other: Reading): boolean {
  return one.text === other.text && one.fault?.message === other.fault?.message;
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
