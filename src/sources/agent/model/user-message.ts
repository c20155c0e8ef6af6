import type { FilePart, ImagePart, TextPart, UserModelMessage } from "ai";
import { declaredFamily } from "../media-family.ts";
import { sizeText } from "../media-limits.ts";
import type { ReplyContext } from "../reply.ts";

/** Longer texts would fill the model's memory by themselves. */
const longestText = 200_000;

/** The order as the model gets it, and as it is remembered: media are shown once and then only named. */
export async function userMessage({ message, attachments }: ReplyContext): Promise<{
  readonly sent: UserModelMessage;
  readonly kept: UserModelMessage;
}> {
  if (attachments.length === 0) {
    const plain: UserModelMessage = { role: "user", content: message };
    return { sent: plain, kept: plain };
  }
  const parts = await Promise.all(attachments.map(partOf));
  const names = attachments.map(({ name, mimeType, bytes }) => `[attached: ${name}, ${mimeType}, ${sizeText(bytes)}]`);
  return {
    sent: { role: "user", content: [{ type: "text", text: message }, ...parts] },
    kept: { role: "user", content: [message, ...names].join("\n") },
  };
}

async function partOf({
  kind,
  name,
  mimeType,
  bytes,
  base64,
}: ReplyContext["attachments"][number]): Promise<ImagePart | FilePart | TextPart> {
  const data = await base64();
  if (kind === "image") return { type: "file", data, mediaType: mimeType, filename: name };
  switch (declaredFamily(mimeType)) {
    case "text": {
      const text = Buffer.from(data, "base64").toString();
      const cut = text.length > longestText ? `${text.slice(0, longestText)}\n[cut off here]` : text;
      return { type: "text", text: `[${name}, ${mimeType}]\n${cut}` };
    }
    case "document":
      return { type: "file", data, mediaType: mimeType, filename: name };
    default:
      // Archives stay closed, and few models listen or watch.
      return { type: "text", text: `[attached, but not readable for you: ${name}, ${mimeType}, ${sizeText(bytes)}]` };
  }
}
