import { Fault } from "../../core/fault.ts";
import { quoted } from "../../core/peer-text.ts";
import { defineCommand } from "../command.ts";
import { trustOption } from "../options.ts";

export const command = defineCommand({
  name: "connect",
  summary: "add a server to the configuration and connect to it, or reconnect a configured one",
  args: [
    {
      name: "address|command|server",
      description:
        "https://…, the command that starts the server (after -- if it has options), or the name of a configured server",
      rest: true,
      isCommand: true,
    },
  ],
  options: {
    name: {
      type: "string",
      value: "<name>",
      description: "the server's name (default: taken from the address or the command)",
    },
    "api-key": {
      type: "string",
      value: "<key>",
      description: "sent as a Bearer token; write '$NAME' to read it from the environment",
    },
    header: {
      type: "string",
      value: "<name: value>",
      multiple: true,
      description: "sent with every request; write '$NAME' to read a value from the environment",
    },
    env: {
      type: "string",
      value: "<NAME=value>",
      multiple: true,
      description: "set in the command's environment; write '$NAME' to read a value from yours",
    },
    force: { type: "boolean", description: "add it without trying to connect first" },
    ...trustOption,
  },
  examples: [
    "clawport connect https://mcp.tavily.com/mcp --api-key '$TAVILY_API_KEY'",
    "clawport connect --name files -- npx -y @modelcontextprotocol/server-filesystem ~/notes",
    "clawport connect files",
  ],
  async run(context) {
    const { runVerb } = await import("../run-verb.ts");
    const { runConnect } = await import("../../hub/verbs/connect.ts");
    const { createConfigEditor } = await import("../../hub/config-editor.ts");
    const { args, options } = context;
    const trust = options.trust === true;
    const settings = {
      ...(options["api-key"] !== undefined && { apiKey: options["api-key"] }),
      ...(options.header && { headers: parseNamedValues(options.header, ":", "--header <name: value>") }),
      ...(options.env && { env: parseNamedValues(options.env, "=", "--env <NAME=value>") }),
    };
    return runVerb(context, {
      need: { servers: "none" },
      trust,
      showsConnections: true,
      run: (handler, { home }) =>
        runConnect(handler, createConfigEditor(context, home, trust), {
          words: args,
          name: options.name,
          settings,
          force: options.force,
        }),
    });
  },
});

function parseNamedValues(words: readonly string[], separator: string, usage: string): Record<string, string> {
  return Object.fromEntries(
    words.map((word) => {
      const at = word.indexOf(separator);
      if (at < 1) throw new Fault("usage", `${quoted(word, 60)} has no "${separator}"; write ${usage}`);
      return [word.slice(0, at).trim(), word.slice(at + 1).trim()];
    }),
  );
}
