import type { Caller } from "../../../catalog/caller.ts";
import type { CatalogTool } from "../../../catalog/source.ts";
import type { ResultsConfig } from "../../../core/config/results-config.ts";
import type { Log } from "../../../core/log.ts";
import type { ResultStore } from "./result-store.ts";

/** Where large results go, shared by all endpoints of a process. */
export interface Results {
  /** Above this many tokens a result is kept and only a preview is sent. */
  readonly maxTokens: number;
  readonly keepMs: number;
  /** Only a preview of a result was sent. */
  noteKept(kept: KeptNotice): void;
  /** Opened with its first use. */
  store(): Promise<ResultStore>;
  /** Resolves when everything that was kept is on the disk. */
  close(): Promise<void>;
}

export interface KeptNotice {
  readonly caller: Caller;
  readonly tool: CatalogTool;
  /** The characters of JSON that were not sent. */
  readonly size: number;
}

export interface ResultsOptions {
  readonly folder: string;
  readonly config: ResultsConfig;
  readonly log: Log;
  readonly onKept: (kept: KeptNotice) => void;
}

/** Results of an earlier process may be past their time; this long after the start is soon enough, and slows nothing. */
const firstSweepMs = 15_000;

/** Undefined if it is switched off. */
export function createResults({ folder, config, log, onKept }: ResultsOptions): Results | undefined {
  const { maxTokens, keep: keepMs, maxBytes } = config;
  if (maxTokens === "off") return undefined;
  let opening: Promise<ResultStore> | undefined;
  let isClosed = false;
  const store = (): Promise<ResultStore> =>
    (opening ??= open().catch((error: unknown) => {
      // An update of the package may have replaced what is loaded here.
      opening = undefined;
      throw error;
    }));
  const firstSweep = () =>
    store()
      .then((opened) => opened.sweep())
      .catch((error: unknown) => log.warn("could not remove old results", { folder, error }));
  const timer = setTimeout(() => void firstSweep(), firstSweepMs).unref();
  return {
    maxTokens,
    keepMs,
    noteKept: onKept,
    store,
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await opening?.then((opened) => opened.close()).catch(() => {});
    },
  };

  async function open(): Promise<ResultStore> {
    const { openResultStore } = await import("./result-store.ts");
    const opened = openResultStore({ folder, keepMs, maxBytes, log });
    if (isClosed) await opened.close();
    return opened;
  }
}
