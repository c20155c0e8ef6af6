import type { CallerContext, ToolCallDecision, ToolCallEvent, TrustedToolPolicy } from "./openclaw-api.ts";
import { pluginState } from "./plugin-state.ts";

/** Adds a ticket to the arguments of every call of one of our tools. Runs before the hooks of other plugins. */
export const callerPolicy: TrustedToolPolicy = {
  id: "caller",
  description: "tells the MCP servers of this plugin which agent and chat a call comes from",
  evaluate: (event, context) => pluginState().running?.announce(event, context),
};

/** Asks the user in OpenClaw's own prompt where that is needed. */
export function beforeToolCall(
  event: ToolCallEvent,
  context: CallerContext,
): Promise<ToolCallDecision | undefined> | undefined {
  return pluginState().running?.askFirst(event, context);
}
