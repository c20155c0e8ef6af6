import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Fault } from "./fault.ts";
import { withFileLock } from "./file-lock.ts";
import type { Log } from "./log.ts";
import type { Migration } from "./migrations.ts";
import { readJsonFile } from "./read-json-file.ts";
import { setAside } from "./set-aside.ts";
import { writeFileAtomic } from "./write-file-atomic.ts";

const firstVersion = 1;

/** Runs the steps a state folder lacks. The version is written after each, so a crash costs at most one step twice. */
export async function migrateHome(folder: string, migrations: readonly Migration[], log: Log): Promise<void> {
  const path = join(folder, "version.json");
  const current = migrations.at(-1)?.to ?? firstVersion;
  if (isAt(path, current)) return;
  await withFileLock(`${path}.lock`, { log }, async () => {
    const found = await readVersion(path, log);
    if (found > current) throw newerFault(folder, found, current);
    if (found < firstVersion) await writeVersion(path, firstVersion);
    for (const step of migrations) {
      if (step.to <= found) continue;
      await step.run(folder);
      await writeVersion(path, step.to);
      log.info("the state folder was migrated", { folder, version: step.to });
    }
  });
}

/** The usual case, without the lock and without waking the thread pool: every start passes here. */
function isAt(path: string, current: number): boolean {
  try {
    return parseVersion(JSON.parse(readFileSync(path, "utf8"))) === current;
  } catch {
    return false;
  }
}

/** 0 for a folder without a version: steps may run again, so starting over from the first is safe. */
async function readVersion(path: string, log: Log): Promise<number> {
  const file = await readJsonFile(path, parseVersion);
  if (file.state === "good") return file.value;
  if (file.state === "damaged") {
    const aside = await setAside(path);
    log.error("the version file of the state folder was damaged; it was set aside", { path, aside, error: file.error });
  }
  return 0;
}

function parseVersion(value: unknown): number {
  const version = typeof value === "object" && value !== null && "version" in value ? value.version : undefined;
  if (typeof version === "number" && Number.isSafeInteger(version) && version >= firstVersion) return version;
  throw new Fault("corrupt", "The version file holds no version.");
}

function writeVersion(path: string, version: number): Promise<void> {
  return writeFileAtomic(path, `${JSON.stringify({ version })}\n`);
}

function newerFault(folder: string, found: number, current: number): Fault {
  const message =
    `The state folder ${folder} was made by a newer Clawport (version ${found}, this one knows ${current}). ` +
    "Update with: npm install -g clawport@latest – or choose another folder with --home.";
  return new Fault("config", message, { detail: { folder, found, current } });
}
