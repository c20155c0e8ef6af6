import { changesSomething, manageTool } from "./manage-tool.ts";
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
  if (event.toolName === manageTool) return askToManage(event);
  return pluginState().running?.askFirst(event, context);
}

/** A model that asks to change something needs approval. */
async function askToManage({ params, toolCallId }: ToolCallEvent): Promise<ToolCallDecision | undefined> {
  const command = typeof params?.["command"] === "string" ? params["command"] : "";
  if (!changesSomething(command) || toolCallId === undefined) return undefined;
  const { allowed } = pluginState();
  return {
    requireApproval: {
      title: `Run /mcp ${command}`.slice(0, 80),
      description: `The agent asks to run: /mcp ${command}`.slice(0, 512),
      severity: "warning",
      timeoutMs: 300_000,
      allowedDecisions: ["allow-once", "deny"],
      onResolution(decision) {
        if (decision === "allow-once") allowed.set(toolCallId, command);
      },
    },
  };
}
