import type { ContentBlock } from "../../mcp/content.ts";
import type { ToolResult } from "../../mcp/tool.ts";
import { forTerminal } from "../output/for-terminal.ts";
import { plainText } from "../output/plain-text.ts";
import type { World } from "../world.ts";
import { inlineImage } from "./inline-image.ts";
import { type Media, mediaStem, saveMedia } from "./save-media.ts";

export interface ResultPaper extends Pick<World, "stdout" | "env"> {
  readonly tool: string;
  /** Where media go. */
  readonly folder: string;
  readonly at: Date;
}

export interface RenderedResult {
  /** The result as it came, but with files in place of the media's data. */
  readonly data: unknown;
  readonly text: string;
}

/** A result for a terminal: texts as they are, media as files that are named. */
export async function renderResult(result: ToolResult, paper: ResultPaper): Promise<RenderedResult> {
  const stem = mediaStem(paper.tool, paper.at);
  let number = 0;
  const blocks: { readonly data: unknown; readonly text: string }[] = [];
  for (const block of result.content ?? []) {
    const media = mediaOf(block);
    if (media === undefined) blocks.push({ data: block, text: textOf(block, paper) });
    else blocks.push(await renderMedia(block, media, paper, stem, ++number));
  }
  const { structuredContent } = result;
  const texts = blocks.map(({ text }) => text).filter((text) => text !== "");
  const isAlone = texts.length === 0 && structuredContent !== undefined;
  return {
    data: { ...result, content: blocks.map(({ data }) => data) },
    text: isAlone ? JSON.stringify(structuredContent, undefined, 2) : texts.join("\n"),
  };
}

async function renderMedia(block: ContentBlock, media: Media, paper: ResultPaper, stem: string, number: number) {
  const saved = await saveMedia(media, paper.folder, stem, number);
  const kind = plainText(media.mimeType ?? "application/octet-stream");
  const shown = block.type === "image" ? inlineImage(media.base64, block.mimeType, paper) : undefined;
  const named = `${saved.file} (${kind}, ${saved.bytes} bytes)`;
  return { data: withoutData(block, saved), text: shown === undefined ? named : `${shown}\n${named}` };
}

function mediaOf(block: ContentBlock): Media | undefined {
  if (block.type === "image" || block.type === "audio") return { base64: block.data, mimeType: block.mimeType };
  if (block.type !== "resource" || block.resource?.blob === undefined) return undefined;
  const { blob, mimeType, uri } = block.resource;
  return { base64: blob, mimeType, uri };
}

function withoutData(block: ContentBlock, saved: object): unknown {
  if (block.type !== "resource") return { ...block, data: undefined, ...saved };
  return { ...block, resource: { ...block.resource, blob: undefined, ...saved } };
}

function textOf(block: ContentBlock, { stdout }: ResultPaper): string {
  const safe = (text: string): string => forTerminal(text, stdout);
  switch (block.type) {
    case "text":
      return safe(block.text);
    case "resource":
      return safe(block.resource?.text ?? block.resource?.uri ?? "");
    case "resource_link":
      return safe(block.title ?? block.name) + safe(` <${block.uri}>`);
    default:
      // A kind that a later revision has.
      return JSON.stringify(block);
  }
}
