import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Log } from "../core/log.ts";

const longestOrderMs = 24 * 60 * 60 * 1000;

/** Removes texts of orders whose process was killed before it could. Younger ones may belong to one that runs. */
export async function sweepIncoming(folder: string, log: Log, now = Date.now()): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names) {
    const path = join(folder, name);
    try {
      if (now - (await stat(path)).mtimeMs > longestOrderMs) await rm(path);
    } catch (error) {
      log.debug("a leftover of an order could not be removed", { path, error });
    }
  }
}
