import { isRecord } from "../core/is-record.ts";
import { manageTool, notRunning } from "./calls/openclaw-tools.ts";
import type { OpenClawTool } from "./openclaw-api.ts";
import { pluginState } from "./plugin-state.ts";

/**
 * `/mcp …` as a tool: for the skill's command, and for the agent itself. What OpenClaw tells the factory of a tool about the
 * sender is not used: it says "owner" for everyone. The ticket in the arguments says who calls.
 */
export function createManageTool(): OpenClawTool {
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
