import { randomBytes } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ReplyMedia } from "./reply.ts";
import { extensionOf, safeName } from "./safe-name.ts";

/** Puts media that an answer can't hold where a person finds them; gives the place. */
export type KeepMedia = (media: ReplyMedia, content: Buffer) => Promise<string>;

/** Into files of a folder, readable by their owner only. */
export function createMediaKeeper(folder: string): KeepMedia {
  return async ({ name, mimeType }, content) => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const safe = safeName(name, `file.${extensionOf(mimeType)}`);
    const path = join(folder, `${randomBytes(4).toString("hex")}-${safe}`);
    await writeFile(path, content, { mode: 0o600, flag: "wx" });
    return path;
  };
}
