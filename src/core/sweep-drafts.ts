import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Log } from "./log.ts";
import { judgeMark, ownMark, type ProcessMark } from "./process-mark.ts";
import { parseDraftName } from "./write-file-atomic.ts";

const deepest = 3;
const hour = 3_600_000;

/** Removes the drafts of writers that were killed. A draft whose writer lives, or may live elsewhere, is left alone. */
export async function sweepDrafts(folder: string, log: Log, depth = 1): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && depth < deepest) await sweepDrafts(path, log, depth + 1).catch(() => {});
    const writer = entry.isFile() ? parseDraftName(entry.name) : undefined;
    if (writer === undefined || !(await isAbandoned(path, writer))) continue;
    await rm(path, { force: true }).catch((error: unknown) => log.warn("a left-over draft stays", { path, error }));
    log.debug("the draft of a process that died was removed", { path, pid: writer.pid });
  }
}

async function isAbandoned(path: string, writer: ProcessMark): Promise<boolean> {
  const liveness = judgeMark(writer, ownMark("/proc"), "/proc");
  if (liveness !== "unknown") return liveness === "dead";
  const age = await stat(path).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => 0,
  );
  return age > hour;
}
