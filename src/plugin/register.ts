import { manageTool, notRunning } from "./calls/openclaw-tools.ts";
import type {
  OpenClawApi,
  OpenClawCommand,
  OpenClawTool,
  CallerContext,
  ToolCallDecision,
  ToolCallEvent,
  TrustedToolPolicy,
} from "./openclaw-api.ts";
import { pluginState } from "./plugin-state.ts";
import { cleanUp, createService } from "./service.ts";
import { isRecord } from "../core/is-record.ts";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

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
  api.on("message_received", (event, context) => pluginState().running?.noteMessage(event, context));
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

/**
 * `/mcp …` as a tool: for the skill's command, and for the agent itself. What OpenClaw tells the factory of a tool about the
 * sender is not used: it says "owner" for everyone. The ticket in the arguments says who calls.
 */
function createManageTool(): OpenClawTool {
  return {
    name: manageTool,
    label: "MCP servers",
    description:
      "Manages the MCP servers. `command` is what follows /mcp: servers; tools [server]; status [server]; connect <url> [--name n]; disconnect <server>; auth <server> [--code c]; refresh [server]; call <tool> <json>; help. Everything that changes something needs the owner's approval.",
    parameters: {
      type: "object",
      properties: { command: { type: "string", description: "What follows /mcp, such as `servers`." } },
      required: ["command"],
    },
    async execute(_callId, params) {
      const { running } = pluginState();
      const text = running === undefined ? notRunning : await running.manage(isRecord(params) ? params : {});
      return { content: [{ type: "text", text }], details: {} };
    },
  };
}

/** Adds a ticket to the arguments of every call of one of our tools. Runs before the hooks of other plugins. */
const callerPolicy: TrustedToolPolicy = {
  id: "caller",
  description: "tells the MCP servers of this plugin which agent and chat a call comes from",
  evaluate: (event, context) => pluginState().running?.announce(event, context),
};

/** Asks the user in OpenClaw's own prompt where that is needed. */
function beforeToolCall(
  event: ToolCallEvent,
  context: CallerContext,
): Promise<ToolCallDecision | undefined> | undefined {
  return pluginState().running?.askFirst(event, context);
}

const name = "mcp-server";
const description = "serve order_openclaw to an MCP client over stdin and stdout (the same as `clawport mcp-server`)";

/** `openclaw mcp-server`: hands over to the command of this package. */
function registerServer(api: OpenClawApi): void {
  const { rootDir } = api;
  if (rootDir === undefined) return;
  api.registerCli(
    ({ program }) =>
      program
        .command(name)
        .description(description)
        .allowUnknownOption()
        .allowExcessArguments()
        .helpOption(false)
        .action(() => run(join(rootDir, "dist", "cli", "main.js"))),
    { commands: [name], descriptors: [{ name, description, hasSubcommands: false }] },
  );
}

async function run(main: string): Promise<void> {
  const at = process.argv.indexOf(name);
  const args = at === -1 ? [] : process.argv.slice(at + 1);
  const child = spawn(process.execPath, [main, name, ...args], { stdio: "inherit" });
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => void child.kill(signal));
  const [code] = (await once(child, "exit")) as [number | null];
  process.exitCode = code ?? 1;
}
