import { constants } from "node:fs";
import { access, lstat, realpath, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { codeOf, Fault, isFault, messageOf } from "../../core/fault.ts";
import type { Home } from "../../core/files/home.ts";
import { pruneFolder } from "../../core/files/prune-folder.ts";
import { readRegularFile } from "../../core/files/read-regular-file.ts";
import { writeFileAtomic } from "../../core/files/write-file-atomic.ts";
import type { Log } from "../../core/log.ts";
import type { InstallableClient } from "../../sources/servers/import/client-table.ts";

/** A client's file as it was read. */
export interface ClientFile {
  /** Where the client looks for it. */
  readonly path: string;
  /** The file itself, if `path` is a symbolic link to it. */
  readonly target: string;
  /** Empty if there is no file yet. */
  readonly text: string;
  readonly exists: boolean;
  /** Its permissions; owner-only for a new file. */
  readonly mode: number;
}

/** Claude Code keeps its history in the same file, so it can be large. */
const largestFile = 64 * 1024 * 1024;

/** Faults if it is not a regular file, or a link that leads nowhere. */
export async function readClientFile(path: string): Promise<ClientFile> {
  const link = await lstat(path).catch(ignoreMissing);
  if (link === undefined) return { path, target: path, text: "", exists: false, mode: 0o600 };
  const target = await realpath(path).catch((error: unknown) => {
    if (codeOf(error) !== "ENOENT" && codeOf(error) !== "ELOOP") throw asFault(path, error);
    throw new Fault("config", `${path} is a symbolic link that leads nowhere. Remove it, or create the file it names.`);
  });
  try {
    const text = await readRegularFile(target, largestFile);
    return { path, target, text, exists: true, mode: (await stat(target)).mode & 0o777 };
  } catch (error) {
    throw isFault(error) ? error : asFault(path, error);
  }
}

/** A rename would replace even a file that its owner made read-only, so that is checked here. */
export async function requireWritable({ path, target, exists, mode }: ClientFile): Promise<void> {
  if (!exists) return;
  const { uid } = await stat(target);
  const ownUid = process.getuid?.();
  if (ownUid !== undefined && uid !== ownUid)
    throw new Fault("io", `${path} belongs to another user, so Clawport does not change it.`);
  const isWritable = await access(target, constants.W_OK).then(
    () => (mode & 0o200) !== 0,
    () => false,
  );
  if (!isWritable) throw new Fault("io", `${path} is read-only, so Clawport does not change it.`);
}

export interface ReplaceOptions {
  readonly client: InstallableClient;
  readonly home: Home;
  readonly log: Log;
  readonly now: Date;
}

/**
 * Writes the new text unless the file has changed since it was read: clients write their files, too, and what they wrote
 * must not be lost. Returns the path of the backup; undefined if there was no file.
 */
export async function replaceClientFile(
  file: ClientFile,
  text: string,
  { client, home, log, now }: ReplaceOptions,
): Promise<string | undefined> {
  const backup = file.exists ? await saveBackup(file, home.file("clients", "backups", client.id), log, now) : undefined;
  const current = await readClientFile(file.path);
  if (current.text !== file.text || current.target !== file.target) {
    const message = `${file.path} was changed by another program in the meantime. Nothing was written. Run the command again.`;
    throw new Fault("conflict", message);
  }
  await requireWritable(current);
  await writeFileAtomic(file.target, text, { mode: file.mode });
  return backup;
}

const backupBounds = { maxAgeMs: 365 * 24 * 60 * 60 * 1000, maxFiles: 10, maxBytes: 256 * 1024 * 1024 };

/** In the state folder, not beside the file: that may be a repository of settings, and the copy holds what the file holds. */
async function saveBackup({ target, text }: ClientFile, folder: string, log: Log, now: Date): Promise<string> {
  const stamp = now.toISOString().replaceAll(/[:.]/g, "-");
  const path = join(folder, `${stamp}-${basename(target)}`);
  await writeFileAtomic(path, text, { mode: 0o600 });
  await pruneFolder(folder, log, now.getTime(), backupBounds);
  return path;
}

function ignoreMissing(error: unknown): undefined {
  if (codeOf(error) === "ENOENT") return undefined;
  throw error;
}

function asFault(path: string, error: unknown): Fault {
  return new Fault("io", `Could not read ${path}: ${messageOf(error)}. Check its permissions.`, { cause: error });
}
