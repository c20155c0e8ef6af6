import { manageTool, notRunning } from "./calls/openclaw-tools.ts";
import { createManageTool } from "./manage-tool.ts";
import type { OpenClawApi, OpenClawCommand } from "./openclaw-api.ts";
import { pluginState } from "./plugin-state.ts";
import { registerServer } from "./serve-orders.ts";
import { cleanUp, createService } from "./service.ts";
import { beforeToolCall, callerPolicy } from "./tool-hooks.ts";

/**
 * Called by OpenClaw, several times in one process and also by commands that only look at the plugin: nothing is opened
 * here, and the engine is not even loaded.
 */
export function register(api: OpenClawApi): void {
  // The service takes up changes of the configuration itself.
  api.registerReload({ noopPrefixes: ["plugins.entries.mcp-client.config"] });
  api.registerService(createService(api));
  api.registerCommand(mcpCommand);
  api.registerTool(createManageTool, { names: [manageTool] });
  api.registerTrustedToolPolicy(callerPolicy);
  api.on("before_tool_call", beforeToolCall);
  api.on("message_received", (event, { sessionKey = event.sessionKey, channelId, senderId = event.senderId }) => {
    pluginState().running?.noteMessage(sessionKey, channelId, senderId);
  });
  api.registerAgentToolResultMiddleware(
    async (event) => {
      const result = pluginState().running?.attachImages(event);
      return result && { result };
    },
    { runtimes: ["openclaw"] },
  );
  api.lifecycle?.registerRuntimeLifecycle({ id: "mcp-client", cleanup: ({ reason }) => cleanUp(reason) });
  registerServer(api);
  if (api.config.plugins?.entries?.["mcp-client"]?.hooks?.allowConversationAccess === true) readConversations(api);
}

const mcpCommand: OpenClawCommand = {
  name: "mcp",
  description: "Manage MCP servers: servers, tools, status, connect, disconnect, auth, refresh, call, help",
  acceptsArgs: true,
  requireAuth: true,
  // What every client needs to send a message.
  requiredScopes: ["operator.write"],
  agentPromptGuidance: [
    "Tools of MCP servers are named <server>__<tool>. If you do not see one, look for it with tool_search.",
  ],
  async handler(context) {
    const { running } = pluginState();
    return { text: running === undefined ? notRunning : await running.command(context.args ?? "", context) };
  },
};

/** What OpenClaw allows only if the user says so in `hooks.allowConversationAccess`. */
function readConversations(api: OpenClawApi): void {
  api.on("before_agent_run", ({ senderId, senderIsOwner }, { runId, sessionKey, channel, accountId }) => {
    pluginState().running?.noteRun(runId, sessionKey, { channel, accountId, senderId, senderIsOwner });
  });
  api.on("before_prompt_build", async (_event, { agentId }) => {
    const text = await pluginState().running?.context(agentId);
    return text ? { appendSystemContext: text } : undefined;
  });
}
