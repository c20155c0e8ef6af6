import type { ToolSource } from "../../catalog/source.ts";
import { Fault } from "../../core/fault.ts";
import type { SaveMedia } from "./media/save-media.ts";
import { orderTool } from "./order/order-tool.ts";
import { createSessionLocks, type OrderContext, runOrder } from "./order/run-order.ts";
import type { GetReply } from "./reply-backend.ts";
import type { Transcriber } from "./transcribe/transcriber.ts";

export interface AgentSourceOptions {
  readonly getReply: GetReply;
  /** Where processes that share a conversation see each other: a folder of the state. */
  readonly turnsFolder: string;
  /** How long the agent may be silent before an order is stopped; 10 minutes unless given. */
  readonly idleMs?: number | undefined;
  /** How long an order may take before a client that knows tasks gets one instead of waiting. */
  readonly taskAfterMs?: number | undefined;
  /** Audio goes to it before it goes to the agent. */
  readonly transcriber?: Transcriber | undefined;
  /** Takes media that are too large for an answer. */
  readonly keep?: SaveMedia | undefined;
}

/** The agent as a source with one tool. */
export function createAgentSource(given: AgentSourceOptions): ToolSource {
  const { getReply, turnsFolder, idleMs = 600_000, taskAfterMs, transcriber, keep } = given;
  const list = [orderTool];
  const options = { getReply, idleMs, transcriber, keep, turns: createSessionLocks(turnsFolder) };

  return {
    id: "agent",
    kind: "agent",
    trusted: true,
    taskAfterMs,
    tools: () => list,
    call(name, args, context: OrderContext) {
      if (name === orderTool.name) return runOrder(args, context, options);
      return Promise.reject(new Fault("unknown-tool", `The agent has no tool ${JSON.stringify(name)}.`));
    },
    onChange: () => () => {},
    close: () => Promise.resolve(),
  };
}
