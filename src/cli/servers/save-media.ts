import { join } from "node:path";
import { writeFileAtomic } from "../../core/write-file-atomic.ts";

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

const endings: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/gif": "gif",
  "image/webp": "webp",
  "image/svg+xml": "svg",
  "audio/mpeg": "mp3",
  "audio/mp3": "mp3",
  "audio/wav": "wav",
  "audio/x-wav": "wav",
  "audio/ogg": "ogg",
  "video/mp4": "mp4",
  "application/pdf": "pdf",
  "application/json": "json",
  "application/zip": "zip",
  "application/gzip": "gz",
  "text/plain": "txt",
  "text/html": "html",
};

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
  const known = endings[mimeType.split(";", 1)[0]?.trim().toLowerCase() ?? ""];
  return known ?? /\.([A-Za-z0-9]{1,8})$/.exec(uri)?.[1]?.toLowerCase() ?? "bin";
}
