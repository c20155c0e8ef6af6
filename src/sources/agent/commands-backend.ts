import { Fault, messageOf } from "../../core/fault.ts";
import { quoted } from "../../core/text/peer-text.ts";
import { cancelledBy, withDeadline } from "../../core/wait.ts";
import type { Tool } from "../../mcp/messages/tool.ts";
import { type AgentTools, resultPayloads } from "./agent-tools.ts";
import type { ReplyBackend, ReplyOptions, ReplyPayload } from "./reply-backend.ts";

/** Answers `/mcp …`. */
export type McpCommand = (args: string, options: ReplyOptions) => Promise<ReplyPayload>;

export interface CommandsOptions {
  /** Called by the first command that needs tools: opening them may start servers. */
  tools(): Promise<AgentTools>;
  readonly mcp?: McpCommand | undefined;
  /** How to get an agent that understands free text; shown when a message is not a command. */
  readonly waysToAnAgent: readonly string[];
  /** Whether a model gets all other messages, see `withCommands`. */
  readonly hasModel?: boolean;
}

/** Works without an agent: commands that list and call the tools. */
export function createCommandsBackend(given: CommandsOptions): ReplyBackend {
  const { tools, mcp, waysToAnAgent, hasModel = false } = given;
  return {
    name: "commands",
    async getReply({ message }, options) {
      if (options.signal.aborted) throw cancelledBy(options.signal);
      const { signal } = options;
      return {
        payloads: await withDeadline(Infinity, signal, (stop) => answer(message, { ...options, signal: stop })),
      };
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };

  async function answer(message: string, options: ReplyOptions): Promise<readonly ReplyPayload[]> {
    const [, command, rest = ""] = /^\/(\S+)\s*([\s\S]*)$/.exec(message.trim()) ?? [];
    switch (command) {
      case undefined:
        throw new Fault("unavailable", noAgentText(waysToAnAgent));
      case "help":
        return [{ text: helpText(mcp !== undefined, hasModel) }];
      case "tools":
        return [{ text: describeTools((await tools()).list(options.caller), rest) }];
      case "call":
        return callTool(rest, options);
      case "mcp":
        if (mcp) return [await mcp(rest, options)];
        throw new Fault("unavailable", "`/mcp` is not available: there are no servers here.");
      default:
        throw new Fault(
          "usage",
          `There is no command "/${command.slice(0, 50)}". Send \`/help\` to list the commands.`,
        );
    }
  }

  async function callTool(rest: string, options: ReplyOptions): Promise<readonly ReplyPayload[]> {
    const { name, args } = parseTypedCall(rest);
    options.onActivity(`running ${name}`);
    const result = await (await tools()).call(name, args, options);
    const payloads = resultPayloads(result);
    if (result.isError !== true) return payloads;
    const text = payloads.flatMap((payload) => payload.text ?? []).join("\n");
    throw new Fault("unavailable", text || `${name} failed without a message.`);
  }
}

/** Commands that need no agent, whatever else answers: managing servers and calling tools must not depend on a model. */
const ownCommand = /^\s*\/(?:mcp|help|tools|call)(?:\s|$)/;

/** Answers `/mcp …`, `/tools`, `/call` and `/help` with the commands, everything else with the backend. */
export function withCommands(backend: ReplyBackend, commands: ReplyBackend): ReplyBackend {
  return {
    ...backend,
    getReply: (request, options) => (ownCommand.test(request.message) ? commands : backend).getReply(request, options),
  };
}

function noAgentText(ways: readonly string[]): string {
  const how = ways.map((way, index) => `\n${index + 1}. ${way}`).join("");
  return `No agent is available, so only commands work (send \`/help\` to list them). To get an agent:${how}`;
}

function helpText(hasMcp: boolean, hasModel: boolean): string {
  return [
    hasModel
      ? "The model gets every message except these commands:"
      : "No agent is available. These commands work without one:",
    ...(hasMcp ? ["/mcp …: manage the MCP servers (/mcp help)"] : []),
    "/tools [part of a name]: list the tools",
    "/call <tool> <json>: call a tool",
    "/help: show this list",
  ].join("\n");
}

/** One line for each tool, with its arguments. */
function describeTools(tools: readonly Tool[], part: string): string {
  const searched = part.trim().toLowerCase();
  const found = tools.filter(({ name }) => name.toLowerCase().includes(searched));
  if (found.length > 0) return found.map(toolLine).join("\n");
  if (tools.length === 0) return "There are no tools yet.";
  return `No tool has ${quoted(searched, 100)} in its name.`;
}

function toolLine({ name, description, inputSchema }: Tool): string {
  const { properties, required } = inputSchema;
  const requiredNames: readonly unknown[] = Array.isArray(required) ? required : [];
  const names = typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
  const args = names.map((each) => (requiredNames.includes(each) ? each : `${each}?`)).join(", ");
  const summary = description?.split("\n", 1)[0]?.slice(0, 200);
  return `${name}(${args})${summary === undefined || summary === "" ? "" : `: ${summary}`}`;
}

interface TypedCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Reads `<tool> <json>`; no JSON means no arguments. */
function parseTypedCall(text: string): TypedCall {
  const [, name, json = ""] = /^(\S+)\s*([\s\S]*)$/.exec(text.trim()) ?? [];
  if (name === undefined) throw new Fault("usage", "Name the tool: `/call <tool> <json>`. Send `/tools` to list them.");
  const args = json === "" ? {} : parseArguments(json, name);
  if (typeof args !== "object" || args === null || Array.isArray(args))
    throw new Fault("usage", `The arguments of ${name} must be a JSON object: \`/call ${name} {"…": …}\``);
  return { name, args: args as Record<string, unknown> };
}

function parseArguments(json: string, name: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new Fault("usage", `The arguments of ${name} are not JSON: ${messageOf(error)}`);
  }
}
