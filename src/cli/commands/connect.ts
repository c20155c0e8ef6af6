import { Fault } from "../../core/fault.ts";
import { quoted } from "../../core/text/peer-text.ts";
import { isInteractive } from "../../core/process/world.ts";
import type { PresentationContext } from "../../hub/presentation/presentation.ts";
import type { CommandContext } from "../command-context.ts";
import { defineCommand } from "../command.ts";
import { trustOption } from "../options.ts";
import { switchServer } from "../output/switch-server.ts";

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
      completes: "servers",
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
    sandbox: { type: "boolean", description: "find the sandbox that the command works in, and add it with that" },
    yes: { type: "boolean", short: "y", description: "with --sandbox: don't ask what the sandbox may give it" },
    force: { type: "boolean", description: "add it without trying to connect first" },
    enable: { type: "boolean", description: "switch a configured server on that has `enabled: false`" },
    ...trustOption,
  },
  examples: [
    "clawport connect https://mcp.tavily.com/mcp --api-key '$TAVILY_API_KEY'",
    "clawport connect --name files -- npx -y @modelcontextprotocol/server-filesystem ~/notes",
    "clawport connect files",
  ],
  async run(context) {
    const { runPresentation } = await import("../run-presentation.ts");
    const { runConnect } = await import("../../hub/presentation/connect.ts");
    const { createConfigEditor } = await import("../../hub/control/settings/config-editor.ts");
    const { args, options } = context;
    if (options.enable === true) return switchServer(context, args[0] ?? "", true);
    const trust = options.trust === true;
    const settings = {
      ...(options["api-key"] !== undefined && { apiKey: options["api-key"] }),
      ...(options.header && { headers: parseNamedValues(options.header, ":", "--header <name: value>") }),
      ...(options.env && { env: parseNamedValues(options.env, "=", "--env <NAME=value>") }),
    };
    return runPresentation(context, {
      need: { servers: "none" },
      trust,
      tidies: true,
      showsConnections: true,
      run: (handler, { home }) =>
        runConnect(handler, createConfigEditor(context, home, trust), {
          words: args,
          name: options.name,
          settings,
          force: options.force,
          complete: async (place, server, given) => {
            const { completeCommand } = await import("../output/complete-command.ts");
            const wants = { sandbox: options.sandbox === true, yes: options.yes === true };
            return completeCommand(context, home, { place, name: server, settings: given }, wants);
          },
          ...(isInteractive(context) && !context.json && { signIn: (server) => offerSignIn(context, handler, server) }),
        }),
    });
  },
});

/** At a terminal the sign-in follows at once. */
async function offerSignIn(context: CommandContext, handler: PresentationContext, server: string): Promise<boolean> {
  const { isYes } = await import("../terminal/read-line.ts");
  const typed = await context.ask(`${server} requires a sign-in. Sign in now? [Y/n] `);
  if (typed === undefined || (typed.trim() !== "" && !isYes(typed))) return false;
  const { runAuth } = await import("../../hub/presentation/auth.ts");
  const { createTerminalSignIn } = await import("../terminal/terminal-sign-in.ts");
  const { text } = await runAuth(handler, createTerminalSignIn(context, false), { server });
  if (!context.globals.quiet) context.stderr.write(`${text}\n`);
  return true;
}

function parseNamedValues(words: readonly string[], separator: string, usage: string): Record<string, string> {
  return Object.fromEntries(
    words.map((word) => {
      const at = word.indexOf(separator);
      if (at < 1) throw new Fault("usage", `${quoted(word, 60)} has no "${separator}"; write ${usage}`);
      return [word.slice(0, at).trim(), word.slice(at + 1).trim()];
    }),
  );
}
