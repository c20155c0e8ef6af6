import { mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { withFileLock } from "../../../src/core/files/file-lock.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
export const builtPage = join(root, "dist", "console");

/** Builds the page unless it is newer than its sources. One process at a time: a build empties the folder first. */
export async function buildPage(): Promise<void> {
  await mkdir(join(root, ".cache"), { recursive: true });
  await withFileLock(join(root, ".cache", "page.lock"), { waitMs: 120_000 }, buildIfStale);
}

async function buildIfStale(): Promise<void> {
  const built = await stat(join(builtPage, "index.html")).catch(() => undefined);
  const sources = await newestOf([
    join(root, "console"),
    join(root, "src", "hub", "control"),
    join(root, "src", "doors", "console"),
  ]);
  if (built !== undefined && built.mtimeMs > sources) return;
  await build({ configFile: join(root, "console", "vite.config.ts") });
}

async function newestOf(folders: readonly string[]): Promise<number> {
  const times = folders.map(async (folder) => {
    const names = await readdir(folder, { recursive: true });
    const stats = await Promise.all(names.map((name) => stat(join(folder, name))));
    return Math.max(...stats.map(({ mtimeMs }) => mtimeMs));
  });
  return Math.max(...(await Promise.all(times)));
}
