import { messageOf } from "../../../core/fault.ts";
import { extensionOf, safeName } from "../../../core/files/safe-name.ts";
import { sizeText } from "../../../core/text/size-text.ts";
import { type ContentBlock, textBlock } from "../../../mcp/messages/tool.ts";
import { type AnswerLimits, answerLimits, maxSavedBytes } from "../media/media-limits.ts";
import type { ReplyMedia } from "../reply-backend.ts";
import type { AnswerPart } from "./merge-outputs.ts";

export interface AnswerOptions {
  readonly signal: AbortSignal;
  readonly limits?: AnswerLimits | undefined;
  /** Saves media that are too large; without it the answer only says where they already are. */
  readonly save?: SaveMedia | undefined;
}

/** The answer as content blocks: adjacent texts joined, media as base64 as far as the limits allow. */
export async function buildAnswer(
  parts: readonly AnswerPart[],
  { signal, limits = answerLimits, save }: AnswerOptions,
): Promise<readonly ContentBlock[]> {
  const blocks: ContentBlock[] = [];
  let left = limits.totalBytes;
  let texts: string[] = [];
  for (const part of parts) {
    if ("text" in part) {
      texts.push(part.text);
      continue;
    }
    flushText();
    const { media } = part;
    try {
      await addMedia(media);
    } catch (error) {
      signal.throwIfAborted();
      texts.push(`[${describe(media)} could not be read: ${messageOf(error)}]`);
    }
  }
  flushText();
  return blocks;

  async function addMedia(media: ReplyMedia): Promise<void> {
    const announcedExcess = judgeSize(media.bytes, left, limits);
    if (announcedExcess !== undefined) return leaveOut(media, announcedExcess);
    const content = await media.read(signal);
    // The announced size may be wrong.
    const excess = judgeSize(content.length, left, limits);
    if (excess !== undefined) return leaveOut({ ...media, bytes: content.length }, excess, content);
    left -= content.length;
    blocks.push(mediaBlock(media, content));
  }

  async function leaveOut(media: ReplyMedia, reason: string, content?: Buffer): Promise<void> {
    const saved = await trySave(media, content);
    texts.push(`[${describe(media)} was left out: ${reason}.${placeText(saved, media.where)}]`);
  }

  async function trySave(media: ReplyMedia, content?: Buffer): Promise<string | undefined> {
    if (save === undefined || media.bytes > maxSavedBytes) return undefined;
    try {
      return await save(media, content ?? (await media.read(signal)));
    } catch {
      signal.throwIfAborted();
      return undefined;
    }
  }

  function flushText(): void {
    if (texts.length === 0) return;
    const text = cutToBytes(texts.join("\n\n"), left);
    texts = [];
    left -= Buffer.byteLength(text);
    blocks.push(textBlock(text));
  }
}

function judgeSize(bytes: number, left: number, { itemBytes, totalBytes }: AnswerLimits): string | undefined {
  if (bytes > itemBytes) return `an item of an answer may have at most ${sizeText(itemBytes)}`;
  if (bytes > left) return `an answer may have at most ${sizeText(totalBytes)}`;
  return undefined;
}

function placeText(saved: string | undefined, where: string | undefined): string {
  if (saved !== undefined) return ` Saved to ${saved}`;
  return where === undefined ? "" : ` Available at ${where}`;
}

function describe({ name, mimeType, bytes }: ReplyMedia): string {
  return `${JSON.stringify(name)} (${mimeType}, ${sizeText(bytes)})`;
}

function mediaBlock({ name, mimeType }: ReplyMedia, content: Buffer): ContentBlock {
  const data = content.toString("base64");
  if (mimeType.startsWith("image/")) return { type: "image", data, mimeType };
  if (mimeType.startsWith("audio/")) return { type: "audio", data, mimeType };
  const file = encodeURIComponent(safeName(name, `file.${extensionOf(mimeType)}`));
  return { type: "resource", resource: { uri: `attachment://${file}`, mimeType, blob: data } };
}

const cutNote = "\n\n[The rest of the text was left out: the answer is full.]";

function cutToBytes(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  const room = Math.max(0, maxBytes - Buffer.byteLength(cutNote));
  // A character cut in two becomes U+FFFD at the end.
  const kept = Buffer.from(text)
    .subarray(0, room)
    .toString()
    .replace(/\uFFFD$/, "");
  return `${kept}${cutNote}`;
}

/** Puts media that an answer can't hold where a person finds them; gives the place. */
export type SaveMedia = (media: ReplyMedia, content: Buffer) => Promise<string>;
