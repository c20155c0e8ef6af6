import {
  type FilePart,
  generateText,
  type ImagePart,
  type LanguageModel,
  type ModelMessage,
  type TextPart,
  type UserModelMessage,
} from "ai";
import { estimateTokensOf } from "../../../core/estimate-tokens.ts";
import { sizeText } from "../../../core/text/size-text.ts";
import { declaredFamily } from "../media/media-family.ts";
import type { ReplyOptions, ReplyRequest } from "../reply-backend.ts";
import type { OrderBudget } from "./order-budget.ts";

/** The library's type for a message: only this room imports the library. */
export type { ModelMessage } from "ai";

/** A longer text would fill the model's context by itself. */
const maxTextLength = 200_000;

/** The order as it is sent to the model, and as it is stored: without media, which are only named. */
export async function userMessage({ message, attachments }: ReplyRequest): Promise<{
  readonly sent: UserModelMessage;
  readonly stored: UserModelMessage;
}> {
  if (attachments.length === 0) {
    const plain: UserModelMessage = { role: "user", content: message };
    return { sent: plain, stored: plain };
  }
  const parts = await Promise.all(attachments.map(messagePart));
  const names = attachments.map(({ name, mimeType, bytes }) => `[attached: ${name}, ${mimeType}, ${sizeText(bytes)}]`);
  return {
    sent: { role: "user", content: [{ type: "text", text: message }, ...parts] },
    stored: { role: "user", content: [message, ...names].join("\n") },
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
      // Archives are not opened, and few models take audio or video.
      return { type: "text", text: `[attached, but you can't read it: ${name}, ${mimeType}, ${sizeText(bytes)}]` };
  }
}

export interface CompactOptions {
  readonly model: LanguageModel;
  readonly contextTokens: number;
  readonly budget: OrderBudget;
}

const summaryPrompt =
  "Sum up the conversation above for yourself, so that you can go on with it: what the user wants, what was found and done, what is open. Names, paths and numbers exactly. No more than 500 words.";

/** Replaces the older part of a long conversation by a summary; drops it if the model can't summarize it. */
export async function compactHistory(
  messages: readonly ModelMessage[],
  { model, contextTokens, budget }: CompactOptions,
  { signal, log, onActivity }: Pick<ReplyOptions, "signal" | "log" | "onActivity">,
): Promise<readonly ModelMessage[]> {
  const { old, recent } = splitHistory(messages, contextTokens);
  if (old.length === 0) return recent;
  onActivity("summarizing the conversation");
  try {
    const order: ModelMessage = { role: "user", content: summaryPrompt };
    const { text, usage } = await generateText({ model, messages: [...old, order], abortSignal: signal });
    budget.add(usage);
    return withSummary(text, recent);
  } catch (error) {
    signal.throwIfAborted();
    log.warn("could not summarize a conversation; its older part is left out", { error });
    return recent;
  }
}

/** The share of the context that the latest messages keep when older ones are summarized. */
const recentShare = 0.5;

interface SplitHistory {
  readonly old: readonly ModelMessage[];
  readonly recent: readonly ModelMessage[];
}

/**
 * Splits a conversation that got too long. The cut is before a message of the user: every provider rejects a tool result
 * without its call.
 */
function splitHistory(messages: readonly ModelMessage[], contextTokens: number): SplitHistory {
  if (estimateTokensOf(messages) <= contextTokens) return { old: [], recent: messages };
  let cut = messages.length;
  for (let index = messages.length - 1; index >= 0; index--) {
    const recent = messages.slice(index);
    if (estimateTokensOf(recent) > contextTokens * recentShare) break;
    if (messages[index]!.role === "user") cut = index;
  }
  return { old: messages.slice(0, cut), recent: messages.slice(cut) };
}

function withSummary(summary: string, recent: readonly ModelMessage[]): readonly ModelMessage[] {
  return [
    { role: "user", content: `[Summary of the conversation so far]\n${summary}` },
    { role: "assistant", content: "Understood." },
    ...recent,
  ];
}
