import { cancelledBy } from "../../../core/cancelled.ts";
import { withDeadline } from "../../../core/deadline.ts";
import { Fault } from "../../../core/fault.ts";
import type { AgentTools } from "../agent-tools.ts";
import type { ReplyBackend, ReplyOptions, ReplyPayload } from "../reply.ts";
import { resultPayload } from "../result-payload.ts";
import { describeTools } from "./describe-tools.ts";
import { parseCall } from "./parse-call.ts";

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
        throw new Fault("unavailable", noAgent(waysToAnAgent));
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
    const { name, args } = parseCall(rest);
    options.onActivity(`running ${name}`);
    const result = await (await tools()).call(name, args, options);
    const payload = resultPayload(result);
    if (result.isError === true) throw new Fault("unavailable", payload.text ?? `${name} failed and did not say why.`);
    return payload;
  }
}

function noAgent(ways: readonly string[]): string {
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
