import type { FilePart, ImagePart, ModelMessage, TextPart, UserModelMessage } from "ai";
import { declaredFamily } from "../media/media-family.ts";
import { sizeText } from "../media/media-limits.ts";
import type { ReplyRequest } from "../reply-backend.ts";

/** Longer texts would fill the model's memory by themselves. */
const maxTextLength = 200_000;

/** The order as the model gets it, and as it is remembered: media are shown once and then only named. */
export async function userMessage({ message, attachments }: ReplyRequest): Promise<{
  readonly sent: UserModelMessage;
  readonly kept: UserModelMessage;
}> {
  if (attachments.length === 0) {
    const plain: UserModelMessage = { role: "user", content: message };
    return { sent: plain, kept: plain };
  }
  const parts = await Promise.all(attachments.map(messagePart));
  const names = attachments.map(({ name, mimeType, bytes }) => `[attached: ${name}, ${mimeType}, ${sizeText(bytes)}]`);
  return {
    sent: { role: "user", content: [{ type: "text", text: message }, ...parts] },
    kept: { role: "user", content: [message, ...names].join("\n") },
  };
}

async function messagePart({
  kind,
  name,
  mimeType,
  bytes,
  base64,
}: ReplyRequest["attachments"][number]): Promise<ImagePart | FilePart | TextPart> {
  const data = await base64();
  if (kind === "image") return { type: "file", data, mediaType: mimeType, filename: name };
  switch (declaredFamily(mimeType)) {
    case "text": {
      const text = Buffer.from(data, "base64").toString();
      const cut = text.length > maxTextLength ? `${text.slice(0, maxTextLength)}\n[cut off here]` : text;
      return { type: "text", text: `[${name}, ${mimeType}]\n${cut}` };
    }
    case "document":
      return { type: "file", data, mediaType: mimeType, filename: name };
    default:
      // Archives stay closed, and few models listen or watch.
      return { type: "text", text: `[attached, but not readable for you: ${name}, ${mimeType}, ${sizeText(bytes)}]` };
  }
}

/** Roughly what a text costs; models differ, and this only decides when to sum up. */
const charactersPerToken = 4;

/** How much of the room the latest messages keep when the ones before are summed up. */
const keptShare = 0.5;

function estimateTokens(messages: readonly ModelMessage[]): number {
  return Math.ceil(JSON.stringify(messages).length / charactersPerToken);
}

export interface SplitHistory {
  readonly old: readonly ModelMessage[];
  readonly recent: readonly ModelMessage[];
}

/**
 * Parts a conversation that got too long. The cut is before a message of the user: a tool's answer without the call it
 * belongs to is refused by every provider.
 */
export function splitHistory(messages: readonly ModelMessage[], contextTokens: number): SplitHistory {
  if (estimateTokens(messages) <= contextTokens) return { old: [], recent: messages };
  let cut = messages.length;
  for (let index = messages.length - 1; index >= 0; index--) {
    const recent = messages.slice(index);
    if (estimateTokens(recent) > contextTokens * keptShare) break;
    if (messages[index]!.role === "user") cut = index;
  }
  return { old: messages.slice(0, cut), recent: messages.slice(cut) };
}

/** The summed-up part as the beginning of what goes on. */
export function withSummary(summary: string, recent: readonly ModelMessage[]): readonly ModelMessage[] {
  return [
    { role: "user", content: `[Summary of the conversation so far]\n${summary}` },
    { role: "assistant", content: "Understood." },
    ...recent,
  ];
}

export const summaryPrompt =
  "Sum up the conversation above for yourself, so that you can go on with it: what the user wants, what was found and done, what is open. Names, paths and numbers exactly. No more than 500 words.";
