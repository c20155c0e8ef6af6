import { chmodSync, linkSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { codeOf } from "../../../core/fault.ts";
import { readRegularFileNow } from "../../../core/files/read-regular-file.ts";
import { draftName } from "../../../core/files/write-file-atomic.ts";
import { randomHex } from "../../../core/secrets/crypto.ts";

const keyBytes = 32;
const largestFile = 1024;

/** The key of the stored lists' names, made on first use. Without it the stored lists can't be found any more. */
export function loadStoreKey(path: string): Buffer {
  const known = readKey(path);
  if (known !== undefined) return known;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const draft = join(dirname(path), draftName(basename(path)));
  try {
    writeFileSync(draft, randomHex(keyBytes), { mode: 0o600, flag: "wx" });
    chmodSync(draft, 0o600);
    place(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
  return readKey(path)!;
}

/** Whole or not at all, and never over the key that another process made at the same moment. */
function place(draft: string, path: string): void {
  try {
    linkSync(draft, path);
  } catch (error) {
    if (codeOf(error) === "EEXIST") return;
    // Some file systems have no links.
    renameSync(draft, path);
  }
}

/** A damaged key is removed: what was stored under it is fetched again. */
function readKey(path: string): Buffer | undefined {
  try {
    const key = Buffer.from(readRegularFileNow(path, largestFile), "hex");
    if (key.length === keyBytes) return key;
    rmSync(path, { force: true });
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
  }
  return undefined;
}
