import type { CatalogTool } from "../../catalog/catalog-tool.ts";
import type { Caller } from "../../catalog/caller.ts";
import type { CallContext } from "../../catalog/tool-source.ts";
import type { View } from "../../catalog/view.ts";
import { Fault } from "../../core/fault.ts";
import { quoted } from "../../core/quoted.ts";
import type { Tool, ToolResult } from "../../mcp/tool.ts";
import type { ReplyOptions } from "./reply.ts";

/** The tools an agent of ours may use. Every call goes the way of all calls, through the guard. */
export interface AgentTools {
  list(): readonly Tool[];
  call(name: string, args: unknown, options: ReplyOptions): Promise<ToolResult>;
}

export interface AgentToolsOptions {
  readonly view: View;
  readonly guard: { call(tool: CatalogTool, args: unknown, context: CallContext): Promise<ToolResult> };
  readonly caller: Caller;
}

/** An agent is never offered itself: an order that orders would have no end. */
export function createAgentTools({ view, guard, caller }: AgentToolsOptions): AgentTools {
  const offered = (): readonly CatalogTool[] => view.tools().filter(({ source }) => source.kind !== "agent");
  return {
    list: () => offered().map(({ definition }) => definition),
    async call(name, args, { signal, log, onActivity, ask }) {
      const tool = view.find(name);
      if (tool === undefined || tool.source.kind === "agent")
        throw new Fault("unknown-tool", `There is no tool ${quoted(name, 100)}. "/tools" lists them.`);
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
