import type { Advice } from "../../catalog/advice.ts";
import { createSyntheticTool } from "../../catalog/synthetic-tool.ts";
import { faultFromResult, type Guard } from "../../catalog/guard/guard.ts";
import { agentCallContext } from "../../sources/agent/agent-tools.ts";
import type { ReplyOptions } from "../../sources/agent/reply-backend.ts";
import type { Presented } from "./presentation.ts";

/** A change to the servers that an order makes. */
export interface OrderedChange {
  /** Its name for rules, questions and the audit. */
  readonly name: "mcp_connect" | "mcp_auth";
  readonly description: string;
  /** What a person sees of it. */
  readonly args: Readonly<Record<string, unknown>>;
  /** Why it asks, as a clause. */
  readonly reason: string;
  readonly order: ReplyOptions;
  readonly guard: Pick<Guard, "call">;
}

/**
 * Asks a person before an order changes the servers, under every preset and whatever the rules allow: the text of an order may
 * be a model's. Then the guard judges it like a tool call of who placed the order, without hints.
 */
export async function askBeforeOrder(
  { name, description, args, reason, order, guard }: OrderedChange,
  work: (signal: AbortSignal) => Promise<Presented>,
): Promise<Presented> {
  let done: Presented | undefined;
  const tool = { name, description, inputSchema: { type: "object" } };
  const change = createSyntheticTool("agent", tool, async (_name, _args, { signal }) => {
    done = await work(signal);
    return { content: [{ type: "text", text: done.text }], isError: !done.ok };
  });
  const advice: Advice = { by: "change of servers", verdict: "ask", reason };
  const source = { ...change.source, adviceOn: () => (isTyped(order) ? undefined : advice) };
  const result = await guard.call({ ...change, source }, args, agentCallContext(order, name));
  const fault = faultFromResult(result);
  if (fault !== undefined || done === undefined) throw fault ?? new TypeError("the guard neither refused nor ran it");
  return done;
}

/** Whether a person typed the order, at a terminal of this computer or in the console. */
function isTyped({ caller: { door } }: ReplyOptions): boolean {
  return door === "cli" || door === "console";
}
