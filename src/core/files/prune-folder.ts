import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Log } from "../log.ts";

export interface FolderBounds {
  readonly oldestMs: number;
  readonly mostFiles: number;
  readonly mostBytes: number;
}

const resultsBounds: FolderBounds = {
  oldestMs: 30 * 24 * 60 * 60 * 1000,
  mostFiles: 1000,
  mostBytes: 1024 * 1024 * 1024,
};

/** What was just saved is being looked at. */
const freshMs = 10 * 60 * 1000;

/** Removes saved media that are old, then the oldest of those that are too many or too large together. */
export async function pruneFolder(folder: string, log: Log, now: number, bounds = resultsBounds): Promise<void> {
  let [files, bytes] = [0, 0];
  for (const { path, size, age } of await youngestFirst(folder)) {
    files++;
    bytes += size;
    const isKept = age <= bounds.oldestMs && files <= bounds.mostFiles && bytes <= bounds.mostBytes;
    if (isKept || age < freshMs) continue;
    await rm(path, { force: true }).catch((error: unknown) => log.debug("a saved file stays", { path, error }));
  }

  async function youngestFirst(from: string) {
    const names = await readdir(from).catch(() => []);
    const found = await Promise.all(
      names.map(async (name) => {
        const path = join(from, name);
        const facts = await stat(path).catch(() => undefined);
        return facts?.isFile() ? [{ path, size: facts.size, age: now - facts.mtimeMs }] : [];
      }),
    );
    return found.flat().toSorted((a, b) => a.age - b.age);
  }
}
