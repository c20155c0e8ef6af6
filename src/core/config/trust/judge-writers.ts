import { accessSync, constants, readFileSync, realpathSync, type Stats, statSync } from "node:fs";
import { userInfo } from "node:os";
import { dirname } from "node:path";
import { codeOf, Fault } from "../../fault.ts";

/** What decides who can write a file or a folder. */
export interface WriterFacts {
  readonly path: string;
  readonly uid: number;
  readonly gid: number;
  readonly mode: number;
  readonly isFolder: boolean;
}

/** The user who reads it. */
export interface Reader {
  readonly uid: number;
  /** The group that has this user as its only member, if there is one. */
  readonly ownGroup: number | undefined;
}

/** Why others could change what is read there; undefined if only this user and root can. As ssh judges its own files. */
export function judgeWriters({ path, uid, gid, mode, isFolder }: WriterFacts, reader: Reader): string | undefined {
  const name = JSON.stringify(path);
  const danger = "It decides which commands run as you.";
  if (uid !== 0 && uid !== reader.uid)
    return `${path} belongs to another user (${uid}). ${danger} Run \`chown ${reader.uid} ${name}\`, or use a copy of your own.`;
  // In a sticky folder, such as /tmp, others can add files but not replace one of yours.
  if (isFolder && (mode & 0o1000) !== 0) return undefined;
  const isShared = (mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && gid !== reader.ownGroup);
  return isShared ? `Other users can write ${path}. ${danger} Check it, then run \`chmod go-w ${name}\`.` : undefined;
}

/**
 * Faults if another user could write this file, or replace it in its folder. On a read-only file system no one can, and
 * Windows has no such modes. A file that does not exist is for its reader to report.
 */
export function requireOwnWriters(path: string): void {
  const uid = process.getuid?.();
  if (uid === undefined) return;
  let reader: Reader | undefined;
  for (const each of placesOf(path)) {
    const found = statSync(each, { throwIfNoEntry: false });
    if (found === undefined || isPlainlyOurs(found, uid) || isReadOnly(each)) continue;
    reader ??= { uid, ownGroup: findOwnGroup() };
    const { gid, mode } = found;
    const facts = { path: each, uid: found.uid, gid, mode, isFolder: found.isDirectory() };
    const reason = judgeWriters(facts, reader);
    if (reason !== undefined) throw new Fault("untrusted", reason, { detail: { path: each } });
  }
}

/** The file and its folder; if it is a link, also the link's folder: a user who can write there can point it elsewhere. */
function placesOf(path: string): ReadonlySet<string> {
  const real = attempt(() => realpathSync(path)) ?? path;
  return new Set([real, dirname(real), dirname(path)]);
}

function isPlainlyOurs({ uid, mode }: Stats, reader: number): boolean {
  return (uid === reader || uid === 0) && (mode & 0o022) === 0;
}

function isReadOnly(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return false;
  } catch (error) {
    return codeOf(error) === "EROFS";
  }
}

/** Many systems give each user a group of the same name, and files that it may write. */
function findOwnGroup(): number | undefined {
  const gid = process.getgid?.();
  const name = attempt(() => userInfo().username);
  const groups = attempt(() => readFileSync("/etc/group", "utf8")) ?? "";
  const line = groups.split("\n").find((each) => each.split(":")[2] === String(gid));
  const [group, , , members = ""] = line?.split(":") ?? [];
  return group !== undefined && group === name && (members === "" || members === name) ? gid : undefined;
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
