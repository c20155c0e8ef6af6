import { extensionOf, safeName } from "../../core/files/safe-name.ts";
import { type MediaToSave, saveMedia } from "../../core/files/save-media.ts";
import type { ContentBlock } from "../../mcp/messages/tool.ts";

/** An image, a sound or a file in a result. */
export interface Media {
  readonly base64: string;
  readonly mimeType: string | undefined;
  /** Its address according to the server; the file's extension may come from it. */
  readonly uri?: string | undefined;
}

export interface SavedResultMedia {
  readonly file: string;
  readonly bytes: number;
}

/** Saves it as `<baseName>-<number>.<extension>`, readable only by its owner. */
export async function saveResultMedia(
  media: Media,
  folder: string,
  baseName: string,
  number: number,
): Promise<SavedResultMedia> {
  const name = `${baseName}-${number}.${mediaExtension(media)}`;
  const { path, bytes } = await saveMedia({ content: Buffer.from(media.base64, "base64"), name }, folder);
  return { file: path, bytes };
}

/** `notes__add-20260131-235959000`: sorts by time within a tool. */
export function mediaBaseName(tool: string, at: Date): string {
  const time = at.toISOString().slice(0, 23).replaceAll(/[-:.]/g, "").replace("T", "-");
  return `${tool.replaceAll(/[^\w.-]/g, "_").slice(0, 80)}-${time}`;
}

function mediaExtension({ mimeType = "", uri = "" }: Media): string {
  return extensionOf(mimeType, /\.([A-Za-z0-9]{1,8})$/.exec(uri)?.[1]?.toLowerCase());
}

type MediaBlock = Exclude<ContentBlock, { readonly type: "text" }>;

/** Saves a block of an answer, readable only by its owner and never over an existing file. Returns the line that says where. */
export async function saveContentBlock(block: MediaBlock, folder: string): Promise<string> {
  if (block.type === "resource_link") return `[${block.name}: ${block.uri}]`;
  const { path } = await saveMedia(mediaToSave(block), folder);
  return `[saved ${path}]`;
}

function mediaToSave(block: Exclude<MediaBlock, { readonly type: "resource_link" }>): MediaToSave {
  if (block.type !== "resource") {
    return { name: `answer.${extensionOf(block.mimeType)}`, content: Buffer.from(block.data, "base64") };
  }
  const { uri, blob, text = "", mimeType = "" } = block.resource;
  const name = safeName(decodeURIComponent(uri.replace(/^attachment:\/\//, "")), `answer.${extensionOf(mimeType)}`);
  return { name, content: blob === undefined ? Buffer.from(text) : Buffer.from(blob, "base64") };
}
