import { readFileSync, rmSync } from "node:fs";
import type { Unsubscribe } from "../../catalog/source.ts";
import { writeFileAtomic } from "../../core/files/write-file-atomic.ts";
import { asRecord } from "../../core/is-record.ts";
import { maxTimerMs } from "../../core/wait.ts";

/** While the user has paused it: no call runs. */
export interface Paused {
  /** When it ends by itself; it lasts until the user resumes unless given. */
  readonly until?: string;
}

export interface Pause {
  /** Undefined while calls may run. */
  state(): Paused | undefined;
  /** Counts at once, also after a restart. Without a time it lasts until `resume`. */
  begin(until?: number): Promise<void>;
  resume(): void;
  /** Calls the listener when it begins and when it ends, by itself or by the user. */
  onChange(listener: () => void): Unsubscribe;
  close(): void;
}

/** Why a call is refused. It says who decided: a model must not try to get around it. */
export function pausedText({ until }: Paused): string {
  return `The user has paused Clawport${until === undefined ? "" : ` until ${until}`}, so no tool can be used now. Do not try again before that.`;
}

/** Kept in a file of the state folder: a pause must survive the process, or a crash would end it. */
export function openPause(file: string, clock: () => number = Date.now): Pause {
  const listeners = new Set<() => void>();
  let known = readPause(file);
  let timer: NodeJS.Timeout | undefined;
  const tell = (): void => listeners.forEach((listener) => listener());

  function state(): Paused | undefined {
    const { until } = known ?? {};
    if (until !== undefined && Date.parse(until) <= clock()) known = undefined;
    return known;
  }

  function watchEnd(): void {
    clearTimeout(timer);
    const { until } = state() ?? {};
    if (until === undefined) return;
    const left = Date.parse(until) - clock();
    timer = setTimeout(() => (state() === undefined ? tell() : watchEnd()), Math.min(left, maxTimerMs)).unref();
  }

  watchEnd();
  return {
    state,
    async begin(until) {
      known = until === undefined ? {} : { until: new Date(until).toISOString() };
      watchEnd();
      tell();
      await writeFileAtomic(file, `${JSON.stringify(known)}\n`);
    },
    resume() {
      known = undefined;
      clearTimeout(timer);
      rmSync(file, { force: true });
      tell();
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: () => clearTimeout(timer),
  };
}

/** A file that can't be read pauses: the user wanted that no call runs. */
function readPause(file: string): Paused | undefined {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
  try {
    const { until } = asRecord(JSON.parse(text));
    return typeof until === "string" && !Number.isNaN(Date.parse(until)) ? { until } : {};
  } catch {
    return {};
  }
}
