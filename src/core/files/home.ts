import { chmodSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve, sep } from "node:path";
import { Fault, messageOf } from "../fault.ts";
import { type Log, silentLog } from "../log.ts";
import { withFileLock } from "./file-lock.ts";
import { readJsonFile, setAside } from "./state-file.ts";
import { sweepDrafts, writeFileAtomic } from "./write-file-atomic.ts";

/** The state folder: everything that outlasts a run is in it. */
export interface Home {
  readonly path: string;
  /** A path inside it. The writer makes missing folders. */
  file(...parts: string[]): string;
}

export interface HomeOptions {
  readonly log?: Log;
  readonly migrations?: readonly Migration[];
}

/** Makes the folder if it is missing, closes it to others, migrates its content, and removes what crashes left. */
export async function openHome(folder: string, options: HomeOptions = {}): Promise<Home> {
  const path = resolve(folder);
  const { log = silentLog, migrations = knownMigrations } = options;
  makePrivate(path, log);
  await migrateHome(path, migrations, log);
  sweepDrafts(path, log);
  return {
    path,
    file: (...parts) => {
      const file = join(path, ...parts);
      if (file.startsWith(path + sep)) return file;
      throw new Fault("internal", `${JSON.stringify(parts.join("/"))} is not inside the state folder.`);
    },
  };
}

function makePrivate(path: string, log: Log): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    const { mode } = statSync(path);
    if (process.platform === "win32" || (mode & 0o077) === 0) return;
    // The sticky bit marks a folder that all users share, such as /tmp: closing it would lock out the system.
    if ((mode & 0o1000) !== 0)
      throw new Fault("usage", `${path} is shared by all users. Choose a folder of your own with \`--home\`.`);
    chmodSync(path, 0o700);
    log.warn("other users could read the state folder; it is closed to them now", {
      path,
      was: (mode & 0o777).toString(8),
    });
  } catch (error) {
    if (error instanceof Fault) throw error;
    const message = `Could not use ${path} as the state folder: ${messageOf(error)}. Choose another with \`--home\`.`;
    throw new Fault("io", message, { cause: error });
  }
}

/** Version 1 had the pins of all servers in one file; no release wrote it. */
const firstVersion = 2;

/** Runs the missing migrations. The version is written after each, so a crash repeats at most one of them. */
async function migrateHome(folder: string, migrations: readonly Migration[], log: Log): Promise<void> {
  const path = join(folder, "version.json");
  const current = migrations.at(-1)?.to ?? firstVersion;
  if (isAt(path, current)) return;
  await withFileLock(`${path}.lock`, { log }, async () => {
    const found = await readHomeVersion(path, log);
    if (found > current) throw newerFault(folder, found, current);
    // The first order in a new folder waits for this: with migrations, their version is written instead.
    if (found < firstVersion && migrations.length === 0) await writeHomeVersion(path, firstVersion);
    for (const step of migrations) {
      if (step.to <= found) continue;
      await step.run(folder);
      await writeHomeVersion(path, step.to);
      // A new folder has no version either, and nothing in it to migrate.
      if (found >= firstVersion) log.info("the state folder was migrated", { folder, version: step.to });
    }
  });
}

/** The usual case, without the lock and without the thread pool: every start passes here. */
function isAt(path: string, current: number): boolean {
  try {
    return parseHomeVersion(JSON.parse(readFileSync(path, "utf8"))) === current;
  } catch {
    return false;
  }
}

/** 0 for a folder without a version: migrations may run again, so starting over from the first is safe. */
async function readHomeVersion(path: string, log: Log): Promise<number> {
  const file = await readJsonFile(path, parseHomeVersion);
  if (file.state === "good") return file.value;
  if (file.state === "damaged") {
    const aside = await setAside(path);
    log.error("the version file of the state folder was damaged; it was set aside", { path, aside, error: file.error });
  }
  return 0;
}

function parseHomeVersion(value: unknown): number {
  const version = typeof value === "object" && value !== null && "version" in value ? value.version : undefined;
  if (typeof version === "number" && Number.isSafeInteger(version) && version > 0) return version;
  throw new Fault("corrupt", "The version file does not contain a version.");
}

function writeHomeVersion(path: string, version: number): Promise<void> {
  return writeFileAtomic(path, `${JSON.stringify({ version })}\n`);
}

function newerFault(folder: string, found: number, current: number): Fault {
  const message =
    `The state folder ${folder} was made by a newer Clawport (version ${found}; this one supports ${current}). ` +
    "Run `npm install -g clawport@latest` to update, or choose another folder with `--home`.";
  return new Fault("config", message, { detail: { folder, found, current } });
}

/**
 * Brings a state folder from one version to the next. A migration may run again on what it already changed: after a
 * crash before the new version was written, or with a damaged version file.
 */
export interface Migration {
  /** The version the folder has afterwards. */
  readonly to: number;
  run(folder: string): Promise<void>;
}

/** In order, each one version further than the last, beginning after the first. */
const knownMigrations: readonly Migration[] = [];
