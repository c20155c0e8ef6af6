import type { Caller } from "../../catalog/caller.ts";
import type { CallPreview } from "../../catalog/guard/call-admission.ts";
import type { CatalogTool } from "../../catalog/source.ts";
import type { CallerContext, ToolCallDecision, ToolCallEvent } from "../openclaw-api.ts";
import { openClawToken } from "./agent-door.ts";
import { createPrompt } from "./approval-prompt.ts";
import type { FoundOpenClawTool } from "./openclaw-tools.ts";
import { type TicketRegistry, withoutTicket } from "./tickets.ts";

/** What the guard would say to a call of this caller. */
export type PreviewCall = (tool: CatalogTool, args: unknown, caller: Omit<Caller, "door">) => Promise<CallPreview>;

export interface AskFirstOptions {
  readonly desk: TicketRegistry;
  find(name: string): FoundOpenClawTool | undefined;
  mayUse(agent: string | undefined, server: string): boolean;
  readonly preview: PreviewCall;
}

/** Puts the guard's question to the user in OpenClaw's own prompt, before the call is sent. */
export async function askFirst(
  { desk, find, mayUse, preview }: AskFirstOptions,
  event: ToolCallEvent,
  context: CallerContext,
): Promise<ToolCallDecision | undefined> {
  const found = find(event.toolName);
  if (found === undefined) return undefined;
  const { server, tool } = found;
  if (!mayUse(context.agentId, server))
    return { block: true, blockReason: `This agent may not use the MCP server ${server}.` };
  if (tool === undefined) return undefined;
  const args = withoutTicket(event.params ?? {});
  const ticket = desk.find(event);
  const question = await preview(tool, args, ticket?.caller ?? { token: openClawToken });
  // What is denied is refused, and written down, when the call arrives.
  if (question.verdict !== "ask") return undefined;
  return { requireApproval: await createPrompt({ title: `Use ${event.toolName}`, tool, ticket, question }) };
}
