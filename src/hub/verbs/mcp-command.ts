import { parseArgs } from "node:util";
import { Fault } from "../../core/fault.ts";
import type { McpCommand } from "../../sources/agent/commands-backend.ts";
import type { HubControl } from "../control/hub-control.ts";
import type { VerbContext, VerbResult } from "./verb.ts";

const authUsage =
  "/mcp auth <server> [--code <code or address>] [--device] [--scope <rights>] [--issuer <address>] [--logout]";

const help = [
  "/mcp servers: every configured server and where it stands",
  "/mcp tools [server]: the tools there are",
  "/mcp status [server]: all there is to know about it",
  "/mcp connect <server>: connect one that is not",
  "/mcp disconnect <server>: end its connection until it is wanted again",
  `${authUsage}: sign in to it, or out`,
  "/mcp auth --list: where you are signed in",
  "/mcp refresh [server]: ask again what it offers",
  "/mcp logs <server>: what it last said",
].join("\n");

/** `/mcp …` for those who have no agent: the same handlers as the commands of the terminal. */
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
      throw new Fault("usage", `There is no "/mcp ${verb.slice(0, 50)}". "/mcp help" lists those there are.`);
  }
}

/** Whoever chats can't be waited for: they get the address, and the sign-in goes on behind. */
async function handleAuthWords(words: readonly string[], context: VerbContext): Promise<VerbResult> {
  const { runAuth, runAuthList, runLogout } = await import("./auth.ts");
  const { values, positionals } = parseAuthWords(words);
  const { logout, list, ...wish } = values;
  if (list) return runAuthList(context);
  const server = named("auth", positionals[0]);
  if (logout) return runLogout(context, server);
  const stage = { show: () => {}, goesOn: true, signal: new AbortController().signal };
  return runAuth(context, stage, { server, ...wish });
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
  const usage = `Sign in like this: "${authUsage}". "/mcp auth --list" shows where you are signed in.`;
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
    throw new Fault("usage", `Say which server: "/mcp ${verb} <server>". "/mcp servers" lists them.`);
  return name;
}
