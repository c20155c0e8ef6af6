import { parseArgs } from "node:util";
import { Fault } from "../core/fault.ts";
import type { McpCommand } from "../sources/agent/commands/commands-backend.ts";
import type { Handled, HandlerContext } from "../sources/servers/handlers/handled.ts";
import type { ServersControl } from "../sources/servers/handlers/servers-control.ts";

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
export function createMcpCommand(control: () => Promise<ServersControl>): McpCommand {
  return async (text) => {
    const { splitWords } = await import("../sources/servers/handlers/split-words.ts");
    const [verb = "servers", ...words] = splitWords(text);
    const [name] = words;
    if (verb === "help") return { text: help };
    const context: HandlerContext = { control: await control(), prefix: "/mcp", now: Date.now };
    const { text: answer, ok } = await (verb === "auth"
      ? handleAuthWords(words, context)
      : handle(verb, name, context));
    if (!ok) throw new Fault("unavailable", answer);
    return { text: answer };
  };
}

async function handle(verb: string, name: string | undefined, context: HandlerContext): Promise<Handled> {
  switch (verb) {
    case "servers":
      return (await import("../sources/servers/handlers/handle-servers.ts")).handleServers(context);
    case "tools":
      return (await import("../sources/servers/handlers/handle-tools.ts")).handleTools(context, name);
    case "status":
      return (await import("../sources/servers/handlers/handle-status.ts")).handleStatus(context, name);
    case "connect": {
      await context.control.connect(named(verb, name));
      return handle("status", name, context);
    }
    case "disconnect":
      return (await import("../sources/servers/handlers/handle-disconnect.ts")).handleDisconnect(
        context,
        named(verb, name),
      );
    case "refresh":
      return (await import("../sources/servers/handlers/handle-refresh.ts")).handleRefresh(context, name);
    case "logs":
      return (await import("../sources/servers/handlers/handle-logs.ts")).handleLogs(context, named(verb, name));
    default:
      throw new Fault("usage", `There is no "/mcp ${verb.slice(0, 50)}". "/mcp help" lists those there are.`);
  }
}

/** Whoever chats can't be waited for: they get the address, and the sign-in goes on behind. */
async function handleAuthWords(words: readonly string[], context: HandlerContext): Promise<Handled> {
  const { handleAuth, handleAuthList, handleLogout } = await import("../sources/servers/handlers/handle-auth.ts");
  const { values, positionals } = parseAuthWords(words);
  const { logout, list, ...wish } = values;
  if (list) return handleAuthList(context);
  const server = named("auth", positionals[0]);
  if (logout) return handleLogout(context, server);
  const stage = { show: () => {}, goesOn: true, signal: new AbortController().signal };
  return handleAuth(context, stage, { server, ...wish });
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
