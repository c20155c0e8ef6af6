import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { formatMark, judgeMark, ownMark, parseMark } from "../../../core/process/process-mark.ts";

/** The orders that are under way, in this process and in others of the same state folder. */
export interface RunningOrders {
  add(id: string): void;
  remove(id: string): void;
  isEmpty(): boolean;
}

/** Longer than an order takes: the file of a process whose end can't be seen from here counts no longer than this. */
const maxMs = 60 * 60 * 1000;
const separator = ".";

/**
 * One file for each order, named after its process, so that those of a process that was killed don't count. What can't be
 * written is left out: it is one of two ways to notice an agent that orders itself.
 */
export function createRunningOrders(folder: string | undefined): RunningOrders {
  const own = new Set<string>();
  return {
    add(id) {
      own.add(id);
      tolerate(() => {
        if (folder === undefined) return;
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        writeFileSync(fileOf(folder, id), "", { mode: 0o600 });
      });
    },
    remove(id) {
      own.delete(id);
      tolerate(() => folder !== undefined && rmSync(fileOf(folder, id), { force: true }));
    },
    isEmpty: () => own.size === 0 && (folder === undefined || !tolerate(() => hasLiving(folder))),
  };
}

function fileOf(folder: string, id: string): string {
  return join(folder, `${formatMark(ownMark("/proc"))}${separator}${id}`);
}

/** Files of processes that are gone are removed on the way. */
function hasLiving(folder: string): boolean {
  let isFound = false;
  for (const name of readdirSync(folder)) {
    const mark = parseMark(name.split(separator, 1)[0] ?? "");
    const liveness = mark === undefined ? "dead" : judgeMark(mark, ownMark("/proc"), "/proc");
    const path = join(folder, name);
    const isOver = liveness === "dead" || (liveness === "unknown" && Date.now() - statSync(path).mtimeMs > maxMs);
    if (isOver) rmSync(path, { force: true });
    else isFound = true;
  }
  return isFound;
}

function tolerate<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
