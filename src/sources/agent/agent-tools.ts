import { hash } from "node:crypto";
import type { Caller } from "../../catalog/caller.ts";
import type { Guard } from "../../catalog/guard/guard.ts";
import type { CatalogTool } from "../../catalog/source.ts";
import type { View } from "../../catalog/view.ts";
import { Fault } from "../../core/fault.ts";
import { extensionOf, safeName } from "../../core/files/safe-name.ts";
import { quoted } from "../../core/peer-text.ts";
import type { ContentBlock, Tool, ToolResult } from "../../mcp/messages/tool.ts";
import type { ReplyMedia, ReplyOptions, ReplyPayload } from "./reply-backend.ts";

/** The tools that our own agent may use. Every call goes through the guard. */
export interface AgentTools {
  list(): readonly Tool[];
  call(name: string, args: unknown, options: ReplyOptions): Promise<ToolResult>;
}

export interface AgentToolsOptions {
  readonly view: View;
  readonly guard: Pick<Guard, "call">;
  readonly caller: Caller;
}

/** Leaves out the agent's own tool: otherwise an order could place orders without end. */
export function createAgentTools({ view, guard, caller }: AgentToolsOptions): AgentTools {
  const offered = (): readonly CatalogTool[] => view.tools().filter(({ source }) => source.kind !== "agent");
  return {
    list: () => offered().map(({ definition }) => definition),
    async call(name, args, { signal, log, onActivity, ask }) {
      const tool = view.find(name);
      if (tool === undefined || tool.source.kind === "agent")
        throw new Fault("unknown-tool", `There is no tool ${quoted(name, 100)}. Send \`/tools\` to list them.`);
      return guard.call(tool, args, {
        caller,
        signal,
        log,
        ask,
        tell: () => {},
        progress: ({ message }) => onActivity(message ?? `running ${name}`),
      });
    },
  };
}

/** A tool's result as part of a reply: its texts joined, the rest as media. */
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
