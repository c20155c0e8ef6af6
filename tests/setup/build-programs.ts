import { existsSync } from "node:fs";
import { glob, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { withFileLock } from "../../src/core/files/file-lock.ts";
import { bundleCommandLine } from "../../scripts/bundle-command-line.ts";
import { programName, programsFolder, fixtures } from "./programs.ts";

/**
 * Compiles the programs that tests start. Node would remove the types of every file in every process: a third of the
 * processor time of the whole run.
 */
export default async function setup(): Promise<void> {
  process.env["CLAWPORT_TEST_PROGRAMS"] = "compiled";
  const stamp = join(programsFolder, "stamp");
  await mkdir(join(programsFolder, ".."), { recursive: true });
  await withFileLock(`${programsFolder}.lock`, { waitMs: 120_000 }, async () => {
    const newest = await newestChange();
    if (existsSync(stamp) && (await readFile(stamp, "utf8")) === newest) return;
    await rm(programsFolder, { recursive: true, force: true });
    await bundleCommandLine(programsFolder);
    const bundle = await rolldown({
      input: Object.fromEntries(fixtures.map((fixture) => [programName(fixture), fixture])),
      platform: "node",
      external: [/^node:/, "@napi-rs/keyring", "playwright-core", "vitest"],
      logLevel: "silent",
    });
    await bundle.write({
      dir: programsFolder,
      format: "esm",
      entryFileNames: "[name].js",
      chunkFileNames: "[name]-[hash].js",
    });
    await bundle.close();
    await writeFile(stamp, newest);
  });
}

/** Changes whenever a source file does. */
async function newestChange(): Promise<string> {
  let newest = 0;
  let count = 0;
  for await (const path of glob(["src/**/*.ts", "tests/**/*.ts", "package-lock.json"])) {
    newest = Math.max(newest, (await stat(path)).mtimeMs);
    count++;
  }
  return `${newest} ${count}`;
}
