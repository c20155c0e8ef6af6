import type { ToolSource } from "../../catalog/tool-source.ts";
import { Fault } from "../../core/fault.ts";
import { messageOf } from "../../core/thrown.ts";
import { errorResult, type ToolResult } from "../../mcp/tool.ts";
import type { OrderContext } from "./order-context.ts";
import { orderTool } from "./order-tool.ts";
import type { GetReply } from "./reply.ts";

export interface AgentSourceOptions {
  readonly getReply: GetReply;
  /** Where processes that share a conversation see each other: a folder of the state. */
  turnsFolder(): Promise<string>;
  /** How long the agent may be silent before an order is stopped; 10 minutes unless given. */
  readonly idleMs?: number | undefined;
}

/** The agent as a source with one tool. What an order needs is loaded with the first one: listing must cost nothing. */
export function createAgentSource({ getReply, turnsFolder, idleMs = 600_000 }: AgentSourceOptions): ToolSource {
  const list = [orderTool];
  let ready: Promise<(args: unknown, context: OrderContext) => Promise<ToolResult>> | undefined;

  async function prepare() {
    const [{ placeOrder }, { createSessionTurns }, folder] = await Promise.all([
      import("./place-order.ts"),
      import("./session-turns.ts"),
      turnsFolder(),
    ]);
    const options = { getReply, idleMs, turns: createSessionTurns(folder) };
    return (args: unknown, context: OrderContext) => placeOrder(args, context, options);
  }

  return {
    id: "agent",
    kind: "agent",
    trusted: true,
    tools: () => list,
    async call(name, args, context: OrderContext) {
      if (name !== orderTool.name) throw new Fault("unknown-tool", `The agent has no tool ${JSON.stringify(name)}.`);
      try {
        const place = await (ready ??= prepare());
        return await place(args, context);
      } catch (error) {
        if (context.signal.aborted) throw error;
        ready = undefined;
        return errorResult(`Error: ${messageOf(error)}`);
      }
    },
    onChange: () => () => {},
    close: () => Promise.resolve(),
  };
}
