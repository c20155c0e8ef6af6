import { type ContentBlock, textBlock } from "../../mcp/content.ts";
import { messageOf } from "../../core/thrown.ts";
import type { AnswerPart } from "./aggregate.ts";
import { type AnswerLimits, answerLimits, sizeText } from "./media-limits.ts";
import type { ReplyMedia } from "./reply.ts";
import { extensionOf, safeName } from "./safe-name.ts";

/** The answer as content blocks: neighbouring texts as one, media as base64 as far as the limits allow. */
export async function buildAnswer(
  parts: readonly AnswerPart[],
  signal: AbortSignal,
  limits: AnswerLimits = answerLimits,
): Promise<readonly ContentBlock[]> {
  const blocks: ContentBlock[] = [];
  let left = limits.totalBytes;
  let texts: string[] = [];
  for (const part of parts) {
    if ("text" in part) {
      texts.push(part.text);
      continue;
    }
    endText();
    const { media } = part;
    const refusal = judgeSize(media, left, limits);
    if (refusal !== undefined) {
      texts.push(refusal);
      continue;
    }
    try {
      const content = await media.read(signal);
      left -= content.length;
      blocks.push(mediaBlock(media, content));
    } catch (error) {
      signal.throwIfAborted();
      texts.push(`[${describe(media)} could not be read: ${messageOf(error)}]`);
    }
  }
  endText();
  return blocks;

  function endText(): void {
    if (texts.length === 0) return;
    const text = cutToBytes(texts.join("\n\n"), left);
    texts = [];
    left -= Buffer.byteLength(text);
    blocks.push(textBlock(text));
  }
}

function judgeSize(media: ReplyMedia, left: number, limits: AnswerLimits): string | undefined {
  const where = media.where === undefined ? "" : ` It lies at ${media.where}`;
  if (media.bytes > limits.itemBytes)
    return `[${describe(media)} was left out: an answer takes at most ${sizeText(limits.itemBytes)} an item.${where}]`;
  if (media.bytes > left)
    return `[${describe(media)} was left out: an answer takes at most ${sizeText(limits.totalBytes)} in all.${where}]`;
  return undefined;
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

function cutToBytes(text: string, most: number): string {
  if (Buffer.byteLength(text) <= most) return text;
  const room = Math.max(0, most - Buffer.byteLength(cutNote));
  // A character cut in two becomes U+FFFD at the end.
  const kept = Buffer.from(text)
    .subarray(0, room)
    .toString()
    .replace(/\uFFFD$/, "");
  return `${kept}${cutNote}`;
}
