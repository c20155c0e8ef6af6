import { randomBytes } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { extensionOf, safeName } from "../../../core/files/safe-name.ts";
import type { ReplyMedia } from "../reply-backend.ts";

/** Puts media that an answer can't hold where a person finds them; gives the place. */
export type SaveMedia = (media: ReplyMedia, content: Buffer) => Promise<string>;

/** Into files of a folder, readable by their owner only. */
export function createMediaSaver(folder: string): SaveMedia {
  return async ({ name, mimeType }, content) => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const safe = safeName(name, `file.${extensionOf(mimeType)}`);
    const path = join(folder, `${randomBytes(4).toString("hex")}-${safe}`);
    await writeFile(path, content, { mode: 0o600, flag: "wx" });
    return path;
  };
}
