import type { Stats } from "node:fs";
import { type FileHandle, mkdir, open, rename, stat } from "node:fs/promises";
import { dirname } from "node:path";

export interface RotatingFile {
  append(text: string): Promise<void>;
  close(): Promise<void>;
}

export interface RotatingFileOptions {
  readonly file: string;
  /** Past this size the file becomes `<file>.1`, the one before it `<file>.2`, and so on. */
  readonly maxBytes: number;
  /** How many of those are kept; at least one. */
  readonly keep: number;
}

/**
 * An owner-only file that several processes may append to: before it writes, each checks whether another has rotated the
 * file, and follows. Calls of `append` must not overlap.
 */
export function createRotatingFile({ file, maxBytes, keep }: RotatingFileOptions): RotatingFile {
  let handle: FileHandle | undefined;
  let torn = false;

  async function reopen(): Promise<FileHandle> {
    await handle?.close();
    handle = undefined;
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    handle = await open(file, "a", 0o600);
    await handle.chmod(0o600);
    return handle;
  }

  async function current(): Promise<{ handle: FileHandle; size: number }> {
    if (handle !== undefined) {
      const [mine, there] = await Promise.all([handle.stat(), statOf(file)]);
      if (there !== undefined && isSameFile(mine, there)) return { handle, size: mine.size };
    }
    const fresh = await reopen();
    return { handle: fresh, size: (await fresh.stat()).size };
  }

  async function rotate(): Promise<FileHandle> {
    for (let index = keep - 1; index >= 1; index--) await renameIfThere(`${file}.${index}`, `${file}.${index + 1}`);
    await renameIfThere(file, `${file}.1`);
    return reopen();
  }

  return {
    async append(text) {
      let now = await current();
      if (now.size > 0 && now.size + Buffer.byteLength(text) > maxBytes) now = { handle: await rotate(), size: 0 };
      const before = torn && now.size > 0 ? "\n" : "";
      torn = true;
      await now.handle.appendFile(before + text);
      torn = false;
    },
    async close() {
      await handle?.close();
      handle = undefined;
    },
  };
}

/** Device and inode identify a file whatever its name is. */
export function isSameFile(one: Stats, other: Stats): boolean {
  return one.ino === other.ino && one.dev === other.dev;
}

export async function statOf(path: string): Promise<Stats | undefined> {
  return stat(path).catch(ignoreMissing);
}

async function renameIfThere(from: string, to: string): Promise<void> {
  await rename(from, to).catch(ignoreMissing);
}

export function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}
