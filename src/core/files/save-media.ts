import { mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { codeOf, Fault, messageOf } from "../fault.ts";
import { extensionOf, numberedName, safeName } from "./safe-name.ts";

export interface MediaToSave {
  readonly content: Uint8Array;
  /** What a person would call it. It may come from outside: here it becomes a safe file name. */
  readonly name?: string | undefined;
  /** Gives the extension if there is no name. */
  readonly mimeType?: string | undefined;
}

export interface SavedMedia {
  readonly path: string;
  readonly bytes: number;
}

/**
 * Saves media to a new file that only its owner can read, never over another file: a name that is taken gets a number. A
 * missing folder is made. The file is not flushed to disk, since media are not state.
 */
export async function saveMedia({ content, name, mimeType = "" }: MediaToSave, folder: string): Promise<SavedMedia> {
  const wanted = safeName(name, `file.${extensionOf(mimeType)}`);
  let path = join(folder, wanted);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    for (let number = 2; !(await writeNew(path, content)); number++) path = join(folder, numberedName(wanted, number));
  } catch (cause) {
    const message = `Could not write ${path}: ${messageOf(cause)}. Check free space and permissions.`;
    throw new Fault("io", message, { cause });
  }
  return { path, bytes: content.length };
}

/** Whether the file was written; false if there is one of that name. */
async function writeNew(path: string, content: Uint8Array): Promise<boolean> {
  const file = await open(path, "wx", 0o600).catch((error: unknown) => {
    if (codeOf(error) !== "EEXIST") throw error;
  });
  if (file === undefined) return false;
  try {
    await file.writeFile(content);
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
  return true;
}
