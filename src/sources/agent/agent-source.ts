import { requireDoubles } from "../../core/exact-number.ts";
import type { ToolSource } from "../../catalog/source.ts";
import { Fault } from "../../core/fault.ts";
import { orderTool } from "./order/order-tool.ts";
import { createSessionLocks, type OrderContext, runOrder } from "./order/run-order.ts";
import type { GetReply } from "./reply-backend.ts";
import type { Transcriber } from "./transcribe/transcriber.ts";
import type { SaveMedia } from "./order/build-answer.ts";

export interface AgentSourceOptions {
  readonly getReply: GetReply;
  /** Whether the view of everything leaves it out, as no agent would answer. */
  readonly isUnlisted?: boolean;
  /** Where processes lock the conversations they share: a folder in the state folder. */
  readonly locksFolder: string;
  /** How long the agent may be silent before an order is stopped; 10 minutes by default. */
  readonly idleMs?: number | undefined;
  /** After this time a client that supports tasks gets a task instead of waiting for the answer. */
  readonly taskAfterMs?: number | undefined;
  /** Transcribes audio before the agent gets it. */
  readonly transcriber?: Transcriber | undefined;
  /** Bytes of text and decoded media in one answer; 50 MB by default. */
  readonly maxAnswerBytes?: number | undefined;
  /** Saves media that are too large for an answer. */
  readonly save?: SaveMedia | undefined;
}

/** The agent as a source with one tool, `order_openclaw`. */
export function createAgentSource({
  locksFolder,
  idleMs = 600_000,
  taskAfterMs,
  isUnlisted = false,
  ...rest
}: AgentSourceOptions): ToolSource {
  const list = [orderTool];
  const options = { ...rest, idleMs, locks: createSessionLocks(locksFolder) };

  return {
    id: "agent",
    kind: "agent",
    isUnlisted,
    trusted: true,
    taskAfterMs,
    tools: () => list,
    async call(name, args, context: OrderContext) {
      if (name === orderTool.name) return runOrder(requireDoubles(args), context, options);
      throw new Fault("unknown-tool", `The agent has no tool ${JSON.stringify(name)}.`);
    },
    onChange: () => () => {},
    close: () => Promise.resolve(),
  };
}
