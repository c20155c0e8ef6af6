import { faultFromResult } from "../../catalog/guard/guard.ts";
import { saveMedia } from "../../core/files/save-media.ts";
import { visibleText } from "../../core/text/peer-text.ts";
import { withChatCommands } from "../../hub/presentation/chat-commands.ts";
import type { ContentBlock, ToolResult } from "../../mcp/messages/tool.ts";

export interface PresentOptions {
  readonly server: string;
  /** Where media go; OpenClaw lets agents send files from there. */
  readonly mediaFolder: string;
}

/**
 * A result as OpenClaw's agent can use it. OpenClaw passes on text, images and structured content; audio and embedded
 * resources become files that the agent can send on.
 */
export async function presentResult(result: ToolResult, options: PresentOptions): Promise<ToolResult> {
  const fault = faultFromResult(result);
  if (fault !== undefined) {
    const advice = fault.code === "unauthorized" ? signInAdvice(fault.message, options.server) : "";
    return { ...result, content: [{ type: "text", text: `${withChatCommands(fault.message)}${advice}` }] };
  }
  if (!result.content.some(isMedia)) return result;
  return { ...result, content: await Promise.all(result.content.map((block) => presentBlock(block, options))) };
}

/** The contract's words, unless the message names the command already. */
function signInAdvice(message: string, server: string): string {
  return /\bauth\b/.test(message) ? "" : ` Tell the user to run \`/mcp auth ${server}\`.`;
}

function isMedia({ type }: ContentBlock): boolean {
  return type === "audio" || type === "resource";
}

async function presentBlock(block: ContentBlock, options: PresentOptions): Promise<ContentBlock> {
  if (block.type === "audio") return save(block.data, block.mimeType, undefined, "audio", options);
  if (block.type !== "resource") return block;
  const { resource } = block as unknown as { resource: EmbeddedResource };
  const { uri, mimeType } = resource;
  if (typeof resource.text === "string") return { type: "text", text: `${visibleText(uri, 500)}\n${resource.text}` };
  if (typeof resource.blob !== "string") return block;
  if (mimeType?.startsWith("image/") === true) return { type: "image", data: resource.blob, mimeType };
  return save(resource.blob, mimeType, uri, "file", options);
}

interface EmbeddedResource {
  readonly uri: string;
  readonly mimeType?: string;
  readonly text?: unknown;
  readonly blob?: unknown;
}

async function save(
  data: string,
  mimeType: string | undefined,
  uri: string | undefined,
  kind: string,
  { mediaFolder, server }: PresentOptions,
): Promise<ContentBlock> {
  const name = uri?.split(/[/?#]/).findLast((part) => part !== "");
  const { path, bytes } = await saveMedia({ content: Buffer.from(data, "base64"), name, mimeType }, mediaFolder);
  const type = mimeType === undefined ? "" : `, ${visibleText(mimeType, 100)}`;
  const text = `The ${kind} from ${server} (${bytes} bytes${type}) was saved to ${path}. To send it, write a line MEDIA:${path}`;
  return { type: "text", text };
}
