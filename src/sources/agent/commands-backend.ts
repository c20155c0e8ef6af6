import { Fault, messageOf } from "../../core/fault.ts";
import { quoted } from "../../core/peer-text.ts";
import { cancelledBy, withDeadline } from "../../core/wait.ts";
import type { Tool } from "../../mcp/messages/tool.ts";
import { type AgentTools, resultPayload } from "./agent-tools.ts";
import type { ReplyBackend, ReplyOptions, ReplyPayload } from "./reply-backend.ts";

/** Answers `/mcp …`; the handlers belong to those who keep the servers. */
export type McpCommand = (args: string, options: ReplyOptions) => Promise<ReplyPayload>;

export interface CommandsOptions {
  /** Asked for with the first command that needs them: opening them may start servers. */
  tools(): Promise<AgentTools>;
  readonly mcp?: McpCommand | undefined;
  /** How a person gets an agent that understands free text: what is told to those who send some. */
  readonly waysToAnAgent: readonly string[];
}

/** What can be had with no agent at all: the tools, called by name. */
export function createCommandsBackend({ tools, mcp, waysToAnAgent }: CommandsOptions): ReplyBackend {
  return {
    name: "commands",
    async getReply({ message }, options) {
      if (options.signal.aborted) throw cancelledBy(options.signal);
      const payload = await withDeadline(Infinity, options.signal, (signal) => answer(message, { ...options, signal }));
      return { payloads: [payload] };
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };

  async function answer(message: string, options: ReplyOptions): Promise<ReplyPayload> {
    const [, command, rest = ""] = /^\/(\S+)\s*([\s\S]*)$/.exec(message.trim()) ?? [];
    switch (command) {
      case undefined:
        throw new Fault("unavailable", noAgentText(waysToAnAgent));
      case "help":
        return { text: helpText(mcp !== undefined) };
      case "tools":
        return { text: describeTools((await tools()).list(), rest) };
      case "call":
        return callTool(rest, options);
      case "mcp":
        if (mcp) return mcp(rest, options);
        throw new Fault("unavailable", '"/mcp" is not there: no servers are kept here.');
      default:
        throw new Fault("usage", `There is no command "/${command.slice(0, 50)}" here. "/help" lists those there are.`);
    }
  }

  async function callTool(rest: string, options: ReplyOptions): Promise<ReplyPayload> {
    const { name, args } = parseTypedCall(rest);
    options.onActivity(`running ${name}`);
    const result = await (await tools()).call(name, args, options);
    const payload = resultPayload(result);
    if (result.isError === true) throw new Fault("unavailable", payload.text ?? `${name} failed and did not say why.`);
    return payload;
  }
}

function noAgentText(ways: readonly string[]): string {
  const how = ways.map((way, index) => `\n${index + 1}. ${way}`).join("");
  return `No agent is behind this yet that understands free text; only commands are ("/help" lists them). To get one:${how}`;
}

function helpText(hasMcp: boolean): string {
  return [
    "No agent is behind this; these commands work without one:",
    ...(hasMcp ? ["/mcp …: the MCP servers (/mcp help)"] : []),
    "/tools [part of a name]: the tools there are",
    "/call <tool> <json>: call one of them",
    "/help: this list",
  ].join("\n");
}

/** The tools as a list for a person, each with the arguments it takes. */
function describeTools(tools: readonly Tool[], part: string): string {
  const wanted = part.trim().toLowerCase();
  const fitting = tools.filter(({ name }) => name.toLowerCase().includes(wanted));
  if (fitting.length > 0) return fitting.map(toolLine).join("\n");
  if (tools.length === 0) return "There are no tools here yet.";
  return `None of the ${tools.length} tools has ${quoted(wanted, 100)} in its name.`;
}

function toolLine({ name, description, inputSchema }: Tool): string {
  const { properties, required } = inputSchema;
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  const names = typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
  const args = names.map((each) => (needed.includes(each) ? each : `${each}?`)).join(", ");
  const first = description?.split("\n", 1)[0]?.slice(0, 200);
  return `${name}(${args})${first === undefined || first === "" ? "" : `: ${first}`}`;
}

export interface TypedCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Reads `<tool> <json>`; no JSON means no arguments. */
function parseTypedCall(text: string): TypedCall {
  const [, name, json = ""] = /^(\S+)\s*([\s\S]*)$/.exec(text.trim()) ?? [];
  if (name === undefined) throw new Fault("usage", 'Say which tool: "/call <tool> <json>". "/tools" lists them.');
  const args = json === "" ? {} : parseArguments(json, name);
  if (typeof args !== "object" || args === null || Array.isArray(args))
    throw new Fault("usage", `The arguments of ${name} have to be a JSON object: /call ${name} {"…": …}`);
  return { name, args: args as Record<string, unknown> };
}

function parseArguments(json: string, name: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new Fault("usage", `The arguments of ${name} are not JSON: ${messageOf(error)}`);
  }
}
