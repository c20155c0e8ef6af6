import { readdirSync, rmSync, statSync, type Dirent } from "node:fs";
import { join } from "node:path";
import type { Log } from "./log.ts";
import { judgeMark, ownMark, type ProcessMark } from "./process-mark.ts";
import { parseDraftName } from "./write-file-atomic.ts";

const deepest = 3;
const hour = 3_600_000;

/**
 * Removes the drafts of writers that were killed. A draft whose writer lives, or may live elsewhere, is left alone.
 * Synchronous, since every start waits for it: a thread pool costs more than these few calls.
 */
export function sweepDrafts(folder: string, log: Log, depth = 1): void {
  for (const entry of list(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && depth < deepest && !entry.name.endsWith(".lock")) sweepDrafts(path, log, depth + 1);
    const writer = entry.isFile() ? parseDraftName(entry.name) : undefined;
    if (writer !== undefined && isAbandoned(path, writer)) remove(path, log);
  }
}

function list(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function isAbandoned(path: string, writer: ProcessMark): boolean {
  const liveness = judgeMark(writer, ownMark("/proc"), "/proc");
  if (liveness !== "unknown") return liveness === "dead";
  const draft = statSync(path, { throwIfNoEntry: false });
  return draft !== undefined && Date.now() - draft.mtimeMs > hour;
}

function remove(path: string, log: Log): void {
  try {
    rmSync(path, { force: true });
    log.debug("the draft of a process that died was removed", { path });
  } catch (error) {
    log.warn("the draft of a process that died could not be removed", { path, error });
  }
}
