import { type Dirent, readdirSync, rmSync, statSync } from "node:fs";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { codeOf, Fault, messageOf } from "../fault.ts";
import type { Log } from "../log.ts";
import { formatMark, judgeMark, ownMark, parseMark, type ProcessMark } from "../process/process-mark.ts";

export interface WriteOptions {
  /** Permissions of the file; owner-only by default. */
  readonly mode?: number;
}

let counter = 0;

/**
 * After a crash at any moment the file holds either all of the old or all of the new content. Once the promise resolves,
 * the new content survives a power failure. A missing folder is made, owner-only.
 */
export async function writeFileAtomic(
  path: string,
  data: string | Uint8Array,
  options: WriteOptions = {},
): Promise<void> {
  const folder = dirname(path);
  const draft = join(folder, draftName(basename(path)));
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeDurably(draft, data, options.mode ?? 0o600);
    await rename(draft, path);
    await syncFolder(folder);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {});
    const message = `Could not write ${path}: ${messageOf(error)}. Check free space and permissions.`;
    throw new Fault("io", message, { cause: error });
  }
}

/** The process that wrote the draft of this name; undefined if it is not a draft. */
function parseDraftName(name: string): ProcessMark | undefined {
  const [, mark] = /^\..*\.([^.]+)\.\d+\.tmp$/.exec(name) ?? [];
  return mark === undefined ? undefined : parseMark(mark);
}

/** The name of a draft of this file, which `sweepDrafts` removes if this process dies. */
export function draftName(name: string): string {
  return `.${name.slice(0, 100)}.${formatMark(ownMark("/proc"))}.${process.hrtime.bigint()}${counter++}.tmp`;
}

async function writeDurably(path: string, data: string | Uint8Array, mode: number): Promise<void> {
  const file = await open(path, "wx", mode);
  try {
    await file.writeFile(data);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Without it a power failure can undo the rename. Systems that can't sync a folder (Windows) don't need it. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r").catch(() => undefined);
  try {
    await handle?.sync();
  } catch (error) {
    if (!["EPERM", "EINVAL", "EISDIR"].includes(codeOf(error) ?? "")) throw error;
  } finally {
    await handle?.close();
  }
}

const maxDepth = 3;
const hourMs = 3_600_000;

/**
 * Removes the drafts of processes that were killed. A draft whose writer lives, or may live elsewhere, stays.
 * Synchronous, since every start waits for it: the thread pool would cost more than these few calls.
 */
export function sweepDrafts(folder: string, log: Log, depth = 1): void {
  for (const entry of listFolder(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && depth < maxDepth && !entry.name.endsWith(".lock")) sweepDrafts(path, log, depth + 1);
    const writer = entry.isFile() ? parseDraftName(entry.name) : undefined;
    if (writer !== undefined && isAbandoned(path, writer)) removeDraft(path, log);
  }
}

function listFolder(folder: string): Dirent[] {
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
  return draft !== undefined && Date.now() - draft.mtimeMs > hourMs;
}

function removeDraft(path: string, log: Log): void {
  try {
    rmSync(path, { force: true });
    log.debug("the draft of a process that died was removed", { path });
  } catch (error) {
    log.warn("the draft of a process that died could not be removed", { path, error });
  }
}
