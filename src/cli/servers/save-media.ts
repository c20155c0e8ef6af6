import { join } from "node:path";
import { writeFileAtomic } from "../../core/write-file-atomic.ts";
import { extensionOf } from "../../sources/agent/safe-name.ts";

/** Something in a result that is no text. */
export interface Media {
  readonly base64: string;
  readonly mimeType: string | undefined;
  /** Where the server says it comes from, whose last part makes a good name. */
  readonly uri?: string | undefined;
}

export interface SavedMedia {
  readonly file: string;
  readonly bytes: number;
}

/** Puts it into a file of its own: `<tool>-<time>-<number>.<ending>`, readable by its owner alone. */
export async function saveMedia(media: Media, folder: string, stem: string, number: number): Promise<SavedMedia> {
  const data = Buffer.from(media.base64, "base64");
  const file = join(folder, `${stem}-${number}.${endingOf(media)}`);
  await writeFileAtomic(file, data);
  return { file, bytes: data.length };
}

/** `notes__add-20260131-235959`: sorts by time within a tool. */
export function mediaStem(tool: string, at: Date): string {
  const time = at.toISOString().slice(0, 23).replaceAll(/[-:.]/g, "").replace("T", "-");
  return `${tool.replaceAll(/[^\w.-]/g, "_").slice(0, 80)}-${time}`;
}

function endingOf({ mimeType = "", uri = "" }: Media): string {
  return extensionOf(mimeType, /\.([A-Za-z0-9]{1,8})$/.exec(uri)?.[1]?.toLowerCase());
}
