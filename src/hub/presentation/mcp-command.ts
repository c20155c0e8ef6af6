import { parseArgs } from "node:util";
import { mayControl } from "../../catalog/caller.ts";
import type { Guard } from "../../catalog/guard/guard.ts";
import { Fault, toFault } from "../../core/fault.ts";
import type { McpCommand } from "../../sources/agent/commands-backend.ts";
import type { ReplyOptions } from "../../sources/agent/reply-backend.ts";
import type { HubControl } from "../control/verbs.ts";
import type { Engine } from "../engine/engine.ts";
import type { OrderedChange } from "./ask-before-order.ts";
import { withChatCommands } from "./chat-commands.ts";
import type { ConfigEditor } from "./connect.ts";
import type { AuthRequest } from "./auth.ts";
import { isOwnersWord } from "./owners-commands.ts";
import type { PresentationContext, Presented } from "./presentation.ts";

const authUsage =
  "/mcp auth <server> [--code <code or address>] [--device] [--scope <scopes>] [--issuer <address>] [--logout]";
const connectUsage = "/mcp connect <server or address> [--name <name>]";

const help = [
  "/mcp servers: list the configured servers and their status",
  "/mcp tools [server]: list the tools",
  "/mcp status [server]: show the details of a connection",
  `${connectUsage}: connect to a configured server, or add one`,
  "/mcp disconnect <server>: close the connection until the next connect",
  `${authUsage}: sign in to a server, or sign out`,
  "/mcp auth --list: list the sign-ins",
  "/mcp refresh [server]: fetch the list of tools again",
  "/mcp logs <server>: show its last output",
  "/mcp call <tool> <json>: call a tool",
].join("\n");

export interface McpCommandOptions {
  /** Opens the configured servers. */
  control(): Promise<HubControl>;
  /** Resolves when every server was tried once, or after a while: before that, a list would lack tools. */
  settled(): Promise<void>;
  /** Judges what changes the configuration. */
  readonly guard: Pick<Guard, "call">;
  openEditor(signal: AbortSignal): Promise<ConfigEditor>;
  /** Posts to the chat of an order that has been answered. Absent if that is impossible: then the next answer begins with it. */
  post?(text: string): void;
}

/** One order's command, and what it works with. */
interface Request {
  /** The whole command, without `/mcp`. */
  readonly text: string;
  readonly verb: string;
  readonly words: readonly string[];
  readonly order: ReplyOptions;
  readonly context: PresentationContext;
  readonly options: McpCommandOptions;
  /** Tells who placed the order what happened after it was answered. */
  report(text: string): void;
}

/** `/mcp …` in an order: the same as the commands of the terminal. */
export function createMcpCommand(options: McpCommandOptions): McpCommand {
  /** What has happened since the last answer to one who may change the servers. */
  let news: readonly string[] = [];
  const report = (text: string): void =>
    options.post ? options.post(text) : void (news = [...news, text].slice(-maxNews));
  return async (text, order) => {
    const { splitCommandLine: splitWords } = await import("../../core/process/split-command-line.ts");
    const [verb = "servers", ...words] = splitWords(text);
    if (verb === "help") return { text: help };
    requireRight(verb, order);
    const control = await options.control();
    // A model reads the answer, or a chat: arguments may contain what only the owner knows.
    const context: PresentationContext = { control, prefix: "/mcp", now: Date.now, hidesArguments: true };
    const { text: answer, ok } = await run({ text, verb, words, order, context, options, report }).catch(
      (error: unknown) => {
        const { code, message, detail } = toFault(error);
        throw new Fault(code, withChatCommands(message), { cause: error, detail });
      },
    );
    if (!ok) throw new Fault("unavailable", withChatCommands(answer));
    const told = mayBeTold(order) ? news : [];
    if (told.length > 0) news = [];
    const shown = verb === "logs" || verb === "call" ? answer : withChatCommands(answer);
    return { text: [...told.map(withChatCommands), shown].join("\n\n") };
  };
}

const maxNews = 20;

/** Who may sign in is told how it ended. */
function mayBeTold({ caller }: ReplyOptions): boolean {
  return mayControl(caller) && caller.view === undefined;
}

/** How long an order that needs them waits for servers to connect. */
const patienceMs = 10_000;

/** `/mcp …` in an order to the agent of this process. */
export function mcpCommandOf(engine: Engine): McpCommand {
  return createMcpCommand({
    async control() {
      const { openLocalControl } = await import("../control/local-control.ts");
      return openLocalControl(engine);
    },
    settled: async () => (await engine.servers()).manager.settled(patienceMs),
    guard: engine.guard,
    // No one is asked to trust the file: it is the one that this process already uses.
    async openEditor(signal) {
      const { createConfigEditor } = await import("../control/settings/config-editor.ts");
      const { env, log, home, homedir } = engine;
      const quiet = { ask: () => Promise.resolve(undefined), showWhile: <T>(_: string, work: Promise<T>) => work };
      return createConfigEditor({ env, homedir, log, globals: {}, stopSignal: () => signal, ...quiet }, home, false);
    },
  });
}

function requireRight(verb: string, { caller, approval }: ReplyOptions): void {
  const isInChat = caller.door === "plugin";
  if (isOwnersWord(verb, isInChat)) {
    // The owner has typed it, or has approved that an agent runs it.
    if (isInChat && !(caller.isOwner === true && approval !== undefined))
      throw new Fault("denied", `Only the owner of this OpenClaw may run \`/mcp ${verb}\`, by typing it in a chat.`);
    if (!isInChat && !mayControl(caller))
      throw new Fault("denied", `Only the main token may use \`/mcp ${verb}\`, and only from this machine.`);
  }
  if (caller.view !== undefined)
    throw new Fault("denied", `This token is limited to the view ${JSON.stringify(caller.view)}, without the servers.`);
}

async function run(request: Request): Promise<Presented> {
  const { verb, words, context } = request;
  const [name] = words;
  switch (verb) {
    case "servers":
    case "tools":
    case "status":
      await request.options.settled();
      return runList(verb, name, context);
    case "connect":
      return runConnectWords(request);
    case "auth":
      return runAuthWords(request);
    case "disconnect":
      return (await import("./switch-servers.ts")).runDisconnect(context, named(verb, name));
    case "call":
      await request.options.settled();
      return (await import("./call-text.ts")).runCallText(request.text, request.order, context);
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

async function runList(verb: "servers" | "tools" | "status", name: string | undefined, context: PresentationContext) {
  const { runServers, runStatus, runTools } = await import("./servers.ts");
  if (verb === "servers") return runServers(context);
  return verb === "tools" ? runTools(context, name) : runStatus(context, name);
}

/** A server can be added by its address only: a command would run anything on this machine. */
async function runConnectWords(request: Request): Promise<Presented> {
  const { words, order, context, options } = request;
  const { values, positionals } = parseWords(words, connectOptions, `Usage: ${connectUsage}.`);
  const target = named("connect", positionals[0]);
  const { servers } = context.control;
  if ((await servers.list()).some(({ name }) => name === target)) {
    try {
      await servers.connect({ name: target });
    } catch (error) {
      const { isApiKeyNeeded, isSignInNeeded } = await import("../../sources/servers/oauth/connection-auth.ts");
      if (!isSignInNeeded(error) || isApiKeyNeeded(error)) throw error;
      const { ok, data, text } = await signIn(request, { server: target });
      return { ok, data, text: `${target} requires a sign-in.\n${text}` };
    }
    return runList("status", target, context);
  }
  const { parseConnectTarget } = await import("../control/settings/connect-target.ts");
  if ("command" in parseConnectTarget([target])) {
    const { unknownServer } = await import("../../sources/servers/definition.ts");
    const names = (await servers.list()).map(({ name }) => name);
    const how = "Only servers with an address can be added here. To add a command, use a terminal.";
    throw new Fault("usage", `${unknownServer(target, names).message} ${how}`);
  }
  const { runConnect } = await import("./connect.ts");
  return changeServers(
    { order, options },
    {
      name: "mcp_connect",
      description: "Adds an MCP server to Clawport's configuration and connects to it.",
      args: { address: target, ...values },
      reason: "adding a server always needs the approval of a person",
    },
    async (signal) =>
      runConnect(context, await options.openEditor(signal), {
        words: [target],
        ...values,
        // Who approved that it is added has approved its address, too.
        signIn: (server) => beginSignIn(request, { server }),
      }),
  );
}

const connectOptions = { name: { type: "string" }, force: { type: "boolean" } } as const;

async function runAuthWords(request: Request): Promise<Presented> {
  const { words, context } = request;
  const { runAuthList, runLogout } = await import("./auth.ts");
  const usage = `Usage: ${authUsage}. Run \`/mcp auth --list\` to list the sign-ins.`;
  const { values, positionals } = parseWords(words, authOptions, usage);
  const { logout, list, ...asked } = values;
  if (list) return runAuthList(context);
  const server = named("auth", positionals[0]);
  if (logout)
    return changeSignIn(request, { server, ...values }, "signing out of a server", () => runLogout(context, server));
  // A code ends a sign-in that was approved when it began.
  return asked.code === undefined ? signIn(request, { server, ...asked }) : beginSignIn(request, { server, ...asked });
}

/** Signs in, if a person approves it. */
function signIn(request: Request, asked: AuthRequest): Promise<Presented> {
  return changeSignIn(request, { ...asked }, "signing in to a server", () => beginSignIn(request, asked));
}

async function beginSignIn({ context, order, report }: Request, asked: AuthRequest): Promise<Presented> {
  const [{ runAuth }, { createChatSignIn }] = await Promise.all([import("./auth.ts"), import("./chat-sign-in.ts")]);
  return runAuth(context, createChatSignIn({ server: asked.server, order, report }), asked);
}

function changeSignIn(
  request: Request,
  args: Readonly<Record<string, unknown>>,
  what: string,
  work: () => Promise<Presented>,
): Promise<Presented> {
  const description = "Signs in to an MCP server, or out.";
  const reason = `${what} always needs the approval of a person`;
  return changeServers(request, { name: "mcp_auth", description, args, reason }, work);
}

async function changeServers(
  { order, options: { guard } }: Pick<Request, "order" | "options">,
  change: Pick<OrderedChange, "name" | "description" | "args" | "reason">,
  work: (signal: AbortSignal) => Promise<Presented>,
): Promise<Presented> {
  const { askBeforeOrder: askFirst } = await import("./ask-before-order.ts");
  return askFirst({ ...change, order, guard }, work);
}

const authOptions = {
  code: { type: "string" },
  device: { type: "boolean" },
  logout: { type: "boolean" },
  list: { type: "boolean" },
  scope: { type: "string" },
  issuer: { type: "string" },
} as const;

/** At most one word that is not an option. */
function parseWords<const Options extends Readonly<Record<string, { readonly type: "string" | "boolean" }>>>(
  words: readonly string[],
  options: Options,
  usage: string,
) {
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
