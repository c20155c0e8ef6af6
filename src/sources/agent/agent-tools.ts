import { hash } from "node:crypto";
import type { CallContext } from "../../catalog/call-context.ts";
import { actingFor, type Caller, isInView } from "../../catalog/caller.ts";
import type { Guard } from "../../catalog/guard/guard.ts";
import type { CatalogTool } from "../../catalog/source.ts";
import type { View } from "../../catalog/view.ts";
import { Fault } from "../../core/fault.ts";
import { orAborted, settledWithin } from "../../core/wait.ts";
import { extensionOf, safeName } from "../../core/files/safe-name.ts";
import { quoted } from "../../core/text/peer-text.ts";
import type { ContentBlock, Tool, ToolResult } from "../../mcp/messages/tool.ts";
import type { ReplyMedia, ReplyOptions, ReplyPayload } from "./reply-backend.ts";

/** The tools that our own agent may use. Every call goes through the guard, as a call of who placed the order. */
export interface AgentTools {
  /** Those that this caller can reach. */
  list(caller: Caller): readonly Tool[];
  call(name: string, args: unknown, options: ReplyOptions): Promise<ToolResult>;
}

export interface AgentToolsOptions {
  readonly view: View;
  readonly guard: Pick<Guard, "call">;
}

/** Leaves out the agent's own tool: otherwise an order could place orders without end. */
export function createAgentTools({ view, guard }: AgentToolsOptions): AgentTools {
  const isOffered = ({ source }: CatalogTool, caller: Caller): boolean =>
    source.kind !== "agent" && isInView(source.id, caller);
  return {
    list: (caller) => view.tools().flatMap((tool) => (isOffered(tool, caller) ? [tool.definition] : [])),
    async call(name, args, options) {
      const tool = view.find(name) ?? (await findConnecting(name, options.signal));
      if (tool === undefined || !isOffered(tool, options.caller))
        throw new Fault("unknown-tool", `There is no tool ${quoted(name, 100)}. Send \`/tools\` to list them.`);
      return guard.call(tool, args, agentCallContext(options, name));
    },
  };

  /** Its source may be connecting, or its definitions be read for the first time. */
  async function findConnecting(name: string, signal: AbortSignal): Promise<CatalogTool | undefined> {
    const waits = view.connecting(name).map(({ settled, patienceMs }) => settledWithin(settled, patienceMs));
    await orAborted(Promise.all(waits), signal);
    return view.find(name);
  }
}

/** What rules, approvals and the audit call our own agent. */
const agentName = "clawport";

/** The context of a call that our own agent makes for the caller of an order. */
export function agentCallContext(options: ReplyOptions, name: string): CallContext {
  const { caller, signal, log, ask, onActivity, approval } = options;
  return {
    approval,
    caller: actingFor(caller, agentName),
    signal,
    log,
    ask,
    tell: () => {},
    progress: ({ message }) => onActivity(message ?? `running ${name}`),
  };
}

/** A tool's result as parts of a reply, in order: adjacent texts joined, everything else as media. */
export function resultPayloads({ content, structuredContent }: ToolResult): readonly ReplyPayload[] {
  const payloads: ReplyPayload[] = [];
  for (const block of content) {
    const last = payloads.at(-1);
    for (const text of textOf(block)) {
      if (last?.text === undefined) payloads.push({ text });
      else payloads[payloads.length - 1] = { text: `${last.text}\n${text}` };
    }
    for (const media of mediaOf(block)) payloads.push({ media: [media] });
  }
  if (payloads.length > 0 || structuredContent === undefined) return payloads;
  return [{ text: JSON.stringify(structuredContent, undefined, 2) }];
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
