import type { Caller } from "../../catalog/caller.ts";
import type { Guard } from "../../catalog/guard/guard.ts";
import { createSyntheticTool } from "../../catalog/synthetic-tool.ts";
import type { CatalogTool, ToolSource } from "../../catalog/source.ts";
import { Fault } from "../../core/fault.ts";
import type { Log } from "../../core/log.ts";
import { shownText } from "../../core/text/shown-text.ts";
import { isOwnersCommand } from "../../hub/presentation/owners-commands.ts";
import type { ToolCallDecision, ToolCallEvent } from "../openclaw-api.ts";
import type { CommandCaller } from "../plugin-commands.ts";
import { openClawToken } from "./agent-door.ts";
import { createPrompt } from "./approval-prompt.ts";
import type { PreviewCall } from "./ask-first.ts";
import { manageTool } from "./openclaw-tools.ts";
import { ticketArgument, type TicketRegistry, withoutTicket } from "./tickets.ts";

type Params = Readonly<Record<string, unknown>>;

export interface ManageCallsOptions {
  readonly desk: TicketRegistry;
  readonly log: Log;
  readonly preview: PreviewCall;
  guard(): Pick<Guard, "call">;
  /** Answers `/mcp …`. */
  run(command: string, caller: CommandCaller): Promise<string>;
}

/** Calls of `mcp_manage`. They run as the agent and sender of their ticket. */
export interface ManageCalls {
  /** An agent of the owner that wants to change something needs approval. For others it is refused when it arrives. */
  askFirst(event: ToolCallEvent): Promise<ToolCallDecision | undefined>;
  call(params: Params): Promise<string>;
}

export function createManageCalls({ desk, log, preview, guard, run }: ManageCallsOptions): ManageCalls {
  return {
    async askFirst(event) {
      const args = withoutTicket(event.params ?? {});
      const ticket = desk.find(event);
      if (ticket === undefined || !needsApproval(args, ticket.caller)) return undefined;
      const tool = toolFor(() => Promise.reject(new TypeError("it is only looked at")));
      const question = await preview(tool, args, ticket.caller);
      if (question.verdict !== "ask") return undefined;
      return {
        requireApproval: await createPrompt({
          title: `Run /mcp ${shownText(commandIn(args))}`,
          tool,
          ticket,
          question,
        }),
      };
    },
    async call(params) {
      const ticket = desk.redeem(params[ticketArgument], (tool) => tool === manageTool);
      const args = withoutTicket(params);
      const caller = ticket?.caller ?? { token: openClawToken };
      const command = commandIn(args);
      if (!needsApproval(args, caller)) return run(command, { caller, isApproved: false });
      const tool = toolFor(async () => {
        return { content: [{ type: "text", text: await run(command, { caller, isApproved: true }) }] };
      });
      const { content } = await guard().call(tool, args, {
        caller: { ...caller, door: "plugin" },
        approval: ticket?.answer,
        signal: new AbortController().signal,
        log,
        progress: () => {},
        tell: () => {},
        ask: () => Promise.reject(new Fault("missing-capability", "no one can be asked")),
      });
      return content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
    },
  };
}

/** The command in the arguments. */
function commandIn({ command }: Params): string {
  return typeof command === "string" && command.trim() !== "" ? command : "servers";
}

function needsApproval(args: Params, { isOwner }: Omit<Caller, "door">): boolean {
  return isOwner === true && isOwnersCommand(commandIn(args));
}

/** For the guard, so that what is asked, remembered and written down about it is as for every tool. */
function toolFor(call: ToolSource["call"]): CatalogTool {
  const tool = { name: manageTool, description: "Manages the MCP servers.", inputSchema: { type: "object" } } as const;
  const reason = "it changes the servers, or shows what only their owner may see";
  return createSyntheticTool("agent", tool, call, { adviceOn: () => ({ by: manageTool, verdict: "ask", reason }) });
}
