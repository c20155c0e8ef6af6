import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Log } from "../log.ts";

export interface FolderBounds {
  readonly maxAgeMs: number;
  readonly maxFiles: number;
  readonly maxBytes: number;
}

/** For saved media of answers. */
export const resultsBounds: FolderBounds = {
  maxAgeMs: 30 * 24 * 60 * 60 * 1000,
  maxFiles: 1000,
  maxBytes: 1024 * 1024 * 1024,
};

/** A file this young may still be looked at. */
const freshMs = 10 * 60 * 1000;

/** Removes files that are too old, then the oldest of those that are too many or too large together. */
export async function pruneFolder(folder: string, log: Log, now: number, bounds: FolderBounds): Promise<void> {
  let [files, bytes] = [0, 0];
  for (const { path, size, ageMs } of await listYoungestFirst(folder, now)) {
    files++;
    bytes += size;
    const isKept = ageMs <= bounds.maxAgeMs && files <= bounds.maxFiles && bytes <= bounds.maxBytes;
    if (isKept || ageMs < freshMs) continue;
    await rm(path, { force: true }).catch((error: unknown) =>
      log.debug("could not remove an old file", { path, error }),
    );
  }
}

async function listYoungestFirst(folder: string, now: number) {
  const names = await readdir(folder).catch(() => []);
  const files = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      const stats = await stat(path).catch(() => undefined);
      return stats?.isFile() ? [{ path, size: stats.size, ageMs: now - stats.mtimeMs }] : [];
    }),
  );
  return files.flat().toSorted((a, b) => a.ageMs - b.ageMs);
}
