import { Fault } from "../../core/fault.ts";
import { quoted } from "../../core/peer-text.ts";
import { defineCommand } from "../command.ts";
import { trustOption } from "../options.ts";

export const command = defineCommand({
  name: "connect",
  summary: "add a server to the configuration and connect it, or connect a configured one again",
  args: [
    {
      name: "address|command|server",
      description: "https://…, the command that starts it (behind -- if it has options), or a configured server's name",
      rest: true,
      isCommand: true,
    },
  ],
  options: {
    name: { type: "string", value: "<name>", description: "what to call it; taken from the address unless given" },
    "api-key": { type: "string", value: "<key>", description: "sent as a Bearer token; '$NAME' stays a reference" },
    header: {
      type: "string",
      value: "<name: value>",
      multiple: true,
      description: "sent with every request; '$NAME' stays a reference",
    },
    env: {
      type: "string",
      value: "<NAME=value>",
      multiple: true,
      description: "for the command's environment; '$NAME' stays a reference",
    },
    force: { type: "boolean", description: "add it without trying whether it can be connected" },
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

function parseNamedValues(words: readonly string[], sign: string, usage: string): Record<string, string> {
  return Object.fromEntries(
    words.map((word) => {
      const at = word.indexOf(sign);
      if (at < 1) throw new Fault("usage", `${quoted(word, 60)} has no "${sign}"; write ${usage}`);
      return [word.slice(0, at).trim(), word.slice(at + 1).trim()];
    }),
  );
}
