import { hash } from "node:crypto";
import type { ContentBlock } from "../../mcp/content.ts";
import type { ToolResult } from "../../mcp/tool.ts";
import type { ReplyMedia, ReplyPayload } from "./reply.ts";
import { extensionOf, safeName } from "./safe-name.ts";

/** What a tool answered, as a piece of an agent's reply: its texts as one, the rest as media. */
export function resultPayload({ content, structuredContent }: ToolResult): ReplyPayload {
  const text = content.flatMap(textOf).join("\n");
  const media = content.flatMap(mediaOf);
  if (text === "" && media.length === 0 && structuredContent !== undefined)
    return { text: JSON.stringify(structuredContent, undefined, 2) };
  return { ...(text === "" ? {} : { text }), media };
}

function textOf(block: ContentBlock): readonly string[] {
  if (block.type === "text") return [block.text];
  if (block.type === "resource" && block.resource.text !== undefined) return [block.resource.text];
  return block.type === "resource_link" ? [`${block.name}: ${block.uri}`] : [];
}

function mediaOf(block: ContentBlock): readonly ReplyMedia[] {
  if (block.type === "image" || block.type === "audio") {
    return [inlineMedia(block.data, block.mimeType, `${block.type}.${extensionOf(block.mimeType)}`)];
  }
  if (block.type !== "resource" || block.resource.blob === undefined) return [];
  const { blob, mimeType = "application/octet-stream", uri } = block.resource;
  return [inlineMedia(blob, mimeType, safeName(uri.split(/[?#]/)[0], `file.${extensionOf(mimeType)}`))];
}

function inlineMedia(base64: string, mimeType: string, name: string): ReplyMedia {
  const content = Buffer.from(base64, "base64");
  return { id: hash("sha256", content), name, mimeType, bytes: content.length, read: () => Promise.resolve(content) };
}
