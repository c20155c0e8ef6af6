import { chmod, readFile, stat } from "node:fs/promises";
import { Fault } from "../../../../../core/fault.ts";
import type { Log } from "../../../../../core/log.ts";
import { codeOf, messageOf } from "../../../../../core/thrown.ts";
import { writeFileAtomic } from "../../../../../core/write-file-atomic.ts";
import { newKeyText, parseKeyText } from "./sealing-key.ts";

/** Nothing where there is no such file. One that holds no key is never replaced: what it sealed would be lost for good. */
export async function readKeyFile(path: string, log: Log): Promise<Uint8Array | undefined> {
  const text = await readText(path);
  if (text === undefined) return undefined;
  const key = parseKeyText(text);
  if (key === undefined) {
    const message = `${path} holds no key. Put the right one back, or move it away and sign in again.`;
    throw new Fault("corrupt", message);
  }
  await closeToOthers(path, log);
  return key;
}

/** Only for the holder of the keys' lock. */
export async function makeKeyFile(path: string): Promise<void> {
  await writeFileAtomic(path, `${newKeyText()}\n`, { mode: 0o600 });
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw new Fault("io", `Could not read ${path}: ${messageOf(error)}. Give yourself access to it: chmod 600`, {
      cause: error,
    });
  }
}

async function closeToOthers(path: string, log: Log): Promise<void> {
  if (process.platform === "win32" || ((await stat(path)).mode & 0o077) === 0) return;
  await chmod(path, 0o600);
  log.warn("others could read the key of the stored sign-ins; the file is closed to them now", { path });
}
