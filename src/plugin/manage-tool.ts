import { isRecord } from "../core/is-record.ts";
import type { OpenClawTool, ToolContext } from "./openclaw-api.ts";
import { pluginState } from "./plugin-state.ts";

export const manageTool = "mcp_manage";

/** Commands that only show something. */
const readingVerbs = new Set(["", "servers", "tools", "status", "help"]);

export function changesSomething(command: string): boolean {
  return !readingVerbs.has(command.trim().split(/\s+/)[0]?.toLowerCase() ?? "");
}

/** `/mcp …` as a tool: for the skill's command, and for the agent itself. */
export function createManageTool({ senderIsOwner }: ToolContext): OpenClawTool {
  return {
    name: manageTool,
    label: "MCP servers",
    description:
      "Manages the MCP servers. `command` is what follows /mcp: servers; tools [server]; status [server]; connect <url> [--name n]; disconnect <server>; auth <server> [--code c]; refresh [server]; call <tool> <json>; help. Everything that changes something needs the user's approval.",
    parameters: {
      type: "object",
      properties: { command: { type: "string", description: "What follows /mcp, such as `servers`." } },
      required: ["command"],
    },
    async execute(callId, params) {
      const given = isRecord(params) ? params["command"] : undefined;
      const command = typeof given === "string" ? given : "";
      const text = await runCommand(command, {
        sender: undefined,
        isAuthorized: isAllowed(callId, command, senderIsOwner === true),
      });
      return { content: [{ type: "text", text }], details: {} };
    },
  };
}

/** The user allowed this very call, or typed the command of the skill: then no model is involved. */
function isAllowed(callId: string, command: string, isOwner: boolean): boolean {
  const { allowed } = pluginState();
  const isApproved = allowed.get(callId) === command;
  allowed.delete(callId);
  return isApproved || (isOwner && callId.startsWith("cmd_"));
}

/** Answers `/mcp <command>`. */
export async function runCommand(
  command: string,
  sender: { readonly sender: string | undefined; readonly isAuthorized: boolean },
): Promise<string> {
  const { running } = pluginState();
  if (running === undefined) return "The MCP servers are not running in this process. Try again in a moment.";
  return running.command(command.trim() === "" ? "servers" : command, sender);
}
