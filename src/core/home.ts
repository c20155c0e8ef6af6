import { chmodSync, mkdirSync, statSync } from "node:fs";
import { join, resolve, sep } from "node:path";
import { Fault } from "./fault.ts";
import { silentLog, type Log } from "./log.ts";
import { migrateHome } from "./migrate-home.ts";
import { migrations as knownMigrations, type Migration } from "./migrations.ts";
import { sweepDrafts } from "./sweep-drafts.ts";
import { messageOf } from "./thrown.ts";

/** The folder where everything lives that outlasts a run. */
export interface Home {
  readonly path: string;
  /** A path inside it. The folders on the way are made by whoever writes there. */
  file(...parts: string[]): string;
}

export interface HomeOptions {
  readonly log?: Log;
  readonly migrations?: readonly Migration[];
}

/** Makes the folder if need be, closes it to others, brings its content up to this version, sweeps what crashes left. */
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
      throw new Fault("internal", `${JSON.stringify(parts.join("/"))} is not a place inside the state folder.`);
    },
  };
}

function makePrivate(path: string, log: Log): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    const { mode } = statSync(path);
    if (process.platform === "win32" || (mode & 0o077) === 0) return;
    // A folder with the sticky bit is one that everybody uses, such as the temporary one: closing it would lock out the system.
    if ((mode & 0o1000) !== 0)
      throw new Fault("usage", `${path} is shared by everybody. Choose a folder of your own with --home.`);
    chmodSync(path, 0o700);
    log.warn("others could look into the state folder; it is closed to them now", {
      path,
      was: (mode & 0o777).toString(8),
    });
  } catch (error) {
    if (error instanceof Fault) throw error;
    const message = `Could not use ${path} as the state folder: ${messageOf(error)}. Choose another with --home.`;
    throw new Fault("io", message, { cause: error });
  }
}
