import { type Stats, statSync } from "node:fs";
import { stat } from "node:fs/promises";

/** Changes whenever the file does; empty if there is no file. Throws if that can't be found out. */
export function stampFileNow(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? "" : stampOf(stats);
}

/** Changes whenever the file does; empty if it can't be found. */
export async function stampFile(path: string): Promise<string> {
  try {
    return stampOf(await stat(path));
  } catch {
    return "";
  }
}

/** Our own writes make a new file each time, with another inode. */
function stampOf({ ino, mtimeMs, ctimeMs, size }: Stats): string {
  return `${ino} ${mtimeMs} ${ctimeMs} ${size}`;
}
