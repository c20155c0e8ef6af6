import type { ApprovalAnswer } from "../../catalog/advice.ts";
import type { Caller } from "../../catalog/caller.ts";
import type { CallPreview } from "../../catalog/guard/call-admission.ts";
import { traitsOf } from "../../catalog/guard/judge-call.ts";
import type { CatalogTool } from "../../catalog/source.ts";
import type { ApprovalRequest, CallerContext, Decision, ToolCallDecision, ToolCallEvent } from "../openclaw-api.ts";
import { openClawToken } from "./agent-door.ts";
import type { FoundTool } from "./openclaw-tools.ts";
import { hashArguments, type TicketDesk, withoutTicket } from "./tickets.ts";

/** OpenClaw shows no more of a title or a description. */
const longestTitle = 80;
const longestDescription = 512;
const askMs = 300_000;

export interface AskFirstOptions {
  readonly desk: TicketDesk;
  find(name: string): FoundTool | undefined;
  mayUse(agent: string | undefined, server: string): boolean;
  preview(tool: CatalogTool, args: unknown, caller: Omit<Caller, "door">): Promise<CallPreview>;
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
  const verdict = await preview(tool, args, ticket?.caller ?? { token: openClawToken });
  // What is denied is refused, and written down, when the call arrives.
  if (verdict.verdict !== "ask") return undefined;
  const requireApproval: ApprovalRequest = {
    title: `Use ${event.toolName}`.slice(0, longestTitle),
    description: verdict.text.slice(0, longestDescription),
    severity: traitsOf(tool.tool.annotations).destructive ? "warning" : "info",
    timeoutMs: askMs,
    allowedDecisions: verdict.lasting ? ["allow-once", "allow-always", "deny"] : ["allow-once", "deny"],
    onResolution(decision) {
      const choice = choices[decision];
      if (ticket !== undefined && choice !== undefined) ticket.answer = { choice, hash: hashArguments(args) };
    },
  };
  return { requireApproval };
}

const choices: Readonly<Partial<Record<Decision, ApprovalAnswer>>> = { "allow-once": "once", "allow-always": "always" };
