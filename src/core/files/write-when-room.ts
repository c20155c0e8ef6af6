import { statfsSync } from "node:fs";
import { codeOf, isFault } from "../fault.ts";
import { writeFileAtomic } from "./write-file-atomic.ts";

const retryMs = 2000;

/** Files that wait for space on the disk, by path. */
const pending = new Map<string, NodeJS.Timeout>();

/**
 * Writes a file that a start can do without: on a full disk it is tried again until there is space. False if it has to
 * wait. Faults if anything else is wrong.
 */
export async function writeWhenRoom(path: string, text: string): Promise<boolean> {
  try {
    await writeFileAtomic(path, text);
    pending.delete(path);
    return true;
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    const retry = (): void => void writeWhenRoom(path, text).catch(() => {});
    pending.set(path, setTimeout(retry, retryMs).unref());
    return false;
  }
}

/** The file is no longer needed. */
export function cancelPendingWrite(path: string): void {
  clearTimeout(pending.get(path));
  pending.delete(path);
}

/** Whether the disk of a folder is full. Not every file system says how much it has. */
export function hasNoRoom(folder: string): boolean {
  const { blocks, bavail } = statfsSync(folder);
  return blocks > 0 && bavail === 0;
}

function isDiskFull(error: unknown): boolean {
  const cause = isFault(error) ? codeOf(error.cause) : undefined;
  return cause === "ENOSPC" || cause === "EDQUOT";
}
