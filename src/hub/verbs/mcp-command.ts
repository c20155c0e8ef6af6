import { parseArgs } from "node:util";
import { Fault } from "../../core/fault.ts";
import type { McpCommand } from "../../sources/agent/commands-backend.ts";
import type { HubControl } from "../control/hub-control.ts";
import type { VerbContext, VerbResult } from "./verb.ts";

const authUsage =
  "/mcp auth <server> [--code <code or address>] [--device] [--scope <scopes>] [--issuer <address>] [--logout]";

const help = [
  "/mcp servers: list the configured servers and their status",
  "/mcp tools [server]: list the tools",
  "/mcp status [server]: show the details of a connection",
  "/mcp connect <server>: connect to a configured server",
  "/mcp disconnect <server>: close the connection until the next connect",
  `${authUsage}: sign in to a server, or sign out`,
  "/mcp auth --list: list the sign-ins",
  "/mcp refresh [server]: fetch the list of tools again",
  "/mcp logs <server>: show its last output",
].join("\n");

/** `/mcp …` in a chat: the same verbs as the commands of the terminal. */
export function createMcpCommand(control: () => Promise<HubControl>): McpCommand {
  return async (text) => {
    const { splitWords } = await import("./split-words.ts");
    const [verb = "servers", ...words] = splitWords(text);
    const [name] = words;
    if (verb === "help") return { text: help };
    const context: VerbContext = { control: await control(), prefix: "/mcp", now: Date.now };
    const { text: answer, ok } = await (verb === "auth"
      ? handleAuthWords(words, context)
      : handle(verb, name, context));
    if (!ok) throw new Fault("unavailable", answer);
    return { text: answer };
  };
}

async function handle(verb: string, name: string | undefined, context: VerbContext): Promise<VerbResult> {
  switch (verb) {
    case "servers":
      return (await import("./servers.ts")).runServers(context);
    case "tools":
      return (await import("./servers.ts")).runTools(context, name);
    case "status":
      return (await import("./servers.ts")).runStatus(context, name);
    case "connect": {
      await context.control.servers.connect(named(verb, name));
      return handle("status", name, context);
    }
    case "disconnect":
      return (await import("./switch-servers.ts")).runDisconnect(context, named(verb, name));
    case "refresh":
      return (await import("./switch-servers.ts")).runRefresh(context, name);
    case "logs":
      return (await import("./switch-servers.ts")).runLogs(context, named(verb, name));
    default:
      throw new Fault(
        "usage",
        `There is no command "/mcp ${verb.slice(0, 50)}". Run \`/mcp help\` to list the commands.`,
      );
  }
}

/** A chat can't wait: it gets the address, and the sign-in continues in the background. */
async function handleAuthWords(words: readonly string[], context: VerbContext): Promise<VerbResult> {
  const { runAuth, runAuthList, runLogout } = await import("./auth.ts");
  const { values, positionals } = parseAuthWords(words);
  const { logout, list, ...request } = values;
  if (list) return runAuthList(context);
  const server = named("auth", positionals[0]);
  if (logout) return runLogout(context, server);
  const ui = { show: () => {}, goesOn: true, signal: new AbortController().signal };
  return runAuth(context, ui, { server, ...request });
}

function parseAuthWords(words: readonly string[]) {
  const options = {
    code: { type: "string" },
    device: { type: "boolean" },
    logout: { type: "boolean" },
    list: { type: "boolean" },
    scope: { type: "string" },
    issuer: { type: "string" },
  } as const;
  const usage = `Usage: ${authUsage}. Run \`/mcp auth --list\` to list the sign-ins.`;
  try {
    const parsed = parseArgs({ args: [...words], options, allowPositionals: true });
    if (parsed.positionals.length <= 1) return parsed;
  } catch (error) {
    throw new Fault("usage", usage, { cause: error });
  }
  throw new Fault("usage", usage);
}

function named(verb: string, name: string | undefined): string {
  if (name === undefined)
    throw new Fault("usage", `Name a server: \`/mcp ${verb} <server>\`. Run \`/mcp servers\` to list them.`);
  return name;
}
