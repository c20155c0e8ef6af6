import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { codeOf } from "../../core/fault.ts";
import { extensionOf, safeName } from "../../core/files/safe-name.ts";
import { writeFileAtomic } from "../../core/files/write-file-atomic.ts";
import type { ContentBlock } from "../../mcp/messages/tool.ts";

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
  const file = join(folder, `${stem}-${number}.${mediaExtension(media)}`);
  await writeFileAtomic(file, data);
  return { file, bytes: data.length };
}

/** `notes__add-20260131-235959`: sorts by time within a tool. */
export function mediaBaseName(tool: string, at: Date): string {
  const time = at.toISOString().slice(0, 23).replaceAll(/[-:.]/g, "").replace("T", "-");
  return `${tool.replaceAll(/[^\w.-]/g, "_").slice(0, 80)}-${time}`;
}

function mediaExtension({ mimeType = "", uri = "" }: Media): string {
  return extensionOf(mimeType, /\.([A-Za-z0-9]{1,8})$/.exec(uri)?.[1]?.toLowerCase());
}

type MediaBlock = Exclude<ContentBlock, { readonly type: "text" }>;

/** Puts what is no text into a file of its own, readable by its owner alone and never over one that is there; says where. */
export async function saveContentBlock(block: MediaBlock, folder: string): Promise<string> {
  if (block.type === "resource_link") return `[${block.name}: ${block.uri}]`;
  const { name, data } = blockContent(block);
  for (let n = 1; ; n++) {
    const path = join(folder, n === 1 ? name : name.replace(/(\.[^.]*)?$/, `-${n}$1`));
    try {
      await writeFile(path, data, { mode: 0o600, flag: "wx" });
      return `[saved ${path}]`;
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error;
    }
  }
}

function blockContent(block: Exclude<MediaBlock, { readonly type: "resource_link" }>): { name: string; data: Buffer } {
  if (block.type !== "resource") {
    return { name: `answer.${extensionOf(block.mimeType)}`, data: Buffer.from(block.data, "base64") };
  }
  const { uri, blob, text = "", mimeType = "" } = block.resource;
  const name = safeName(decodeURIComponent(uri.replace(/^attachment:\/\//, "")), `answer.${extensionOf(mimeType)}`);
  return { name, data: blob === undefined ? Buffer.from(text) : Buffer.from(blob, "base64") };
}
