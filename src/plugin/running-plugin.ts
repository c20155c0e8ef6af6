import { join } from "node:path";
import { type CallPreview } from "../catalog/guard/call-admission.ts";
import type { Caller } from "../catalog/caller.ts";
import type { CatalogTool } from "../catalog/source.ts";
import { isUsedByAgents, mayUseServer } from "../core/config/agent-servers-config.ts";
import { messageOf, toFault } from "../core/fault.ts";
import { openHome, type Home } from "../core/files/home.ts";
import type { LiveLog } from "../core/log.ts";
import type { Env } from "../core/process/child-env.ts";
import { readVersion } from "../core/version.ts";
import { type Engine, openEngine } from "../hub/engine/engine.ts";
import { findRunningHub, removeHubRecord, writeHubRecord } from "../hub/hub-record.ts";
import type { ReplyOptions } from "../sources/agent/reply-backend.ts";
import { createAgentDoor } from "./agent-door.ts";
import { askFirst } from "./ask-first.ts";
import { createPluginEditor } from "./config-writer.ts";
import { type DoorFile, readDoorFile, writeDoorFile } from "./door-file.ts";
import { applyPlan, nameEntries, needsEdit, planEntries, type Published } from "./entries.ts";
import { findKeeper, keeperText, useHub } from "./keeper.ts";
import { attachImages } from "./images.ts";
import type {
  CallerContext,
  OpenClawConfig,
  OpenClawConfigRuntime,
  OpenClawToolResult,
  Requester,
  ToolCallDecision,
  ToolCallEvent,
  ToolResultEvent,
} from "./openclaw-api.ts";
import { findTool, type FoundTool } from "./openclaw-tools.ts";
import { openPluginConfig, type PluginConfig, pluginConfigOf } from "./plugin-config.ts";
import { serverContext } from "./server-context.ts";
import { createTicketDesk, ticketArgument } from "./tickets.ts";

/** How the plugin reaches OpenClaw now. A reload of the plugin replaces it. */
export interface OpenClawLink {
  readonly runtime: OpenClawConfigRuntime;
  /** OpenClaw's configuration as the service was started with it. */
  readonly config: OpenClawConfig;
}

export interface RunningPluginOptions {
  /** OpenClaw's state folder. */
  readonly stateDir: string;
  /** OpenClaw's configuration file. */
  readonly configPath: string;
  readonly env: Env;
  readonly homedir: string;
  readonly log: LiveLog;
  link(): OpenClawLink;
}

/** Who types a command. */
export interface CommandSender {
  readonly sender: string | undefined;
  readonly isAuthorized: boolean;
}

/** The engine inside OpenClaw's gateway, with its endpoints and their entries in OpenClaw's configuration. */
export interface RunningPlugin {
  readonly version: string;
  /** Remembers who started a run. */
  noteRun(runId: string | undefined, requester: Requester | undefined): void;
  /** The arguments of a call with a ticket, if it is a call of one of our tools. */
  announce(event: ToolCallEvent, context: CallerContext): { params: Record<string, unknown> } | undefined;
  /** What OpenClaw must do before it sends a call. */
  askFirst(event: ToolCallEvent, context: CallerContext): Promise<ToolCallDecision | undefined>;
  /** A result of Tool Search with its images attached, if it has any. */
  attachImages(event: ToolResultEvent): OpenClawToolResult | undefined;
  /** Applies what OpenClaw's configuration says now; only servers that changed restart. */
  reconfigure(): Promise<void>;
  /** Answers `/mcp …`. */
  command(text: string, sender: CommandSender): Promise<string>;
  /** What the agent's system prompt says about the servers; empty if it may use none. */
  context(agent: string | undefined): Promise<string>;
  /** Takes everything that we wrote back out of OpenClaw's configuration. */
  withdraw(config: Pick<OpenClawConfigRuntime, "mutateConfigFile">): Promise<void>;
  close(): Promise<void>;
}

/** Of this copy of the code. Another one may be running. */
export const pluginVersion = readVersion;

export async function openRunningPlugin(options: RunningPluginOptions): Promise<RunningPlugin> {
  const { stateDir, configPath, env, homedir, log, link } = options;
  const version = readVersion();
  const home = await openHome(env["CLAWPORT_HOME"] ?? join(stateDir, "mcp"), { log });
  const desk = createTicketDesk();
  let door = await readDoorFile(home);
  let published: readonly Published[] = [];
  /** What we wrote ourselves, until OpenClaw starts the service again with it. */
  let written: Readonly<Record<string, unknown>> | undefined;
  let publishing: Promise<unknown> = Promise.resolve();
  let keeper = await findKeeper({ home, env, log });
  const configuration = openPluginConfig({
    path: configPath,
    env,
    log,
    read: readOwn,
    adapt: (config) => useHub(config, keeper),
  });
  const mayUse = (agent: string | undefined, server: string): boolean =>
    mayUseServer(configuration.current().agents, agent, server);
  const access = createAgentDoor({
    token: door.token,
    desk,
    mediaFolder: join(stateDir, "media", "mcp"),
    published: () => published,
    mayUse,
  });
  published = publishedBy(configuration);
  let engine = await open();
  publishSoon();
  let isSwitching = false;
  const watch = setInterval(() => void watchHub().catch(reportFailure), 3000).unref();

  return {
    version,
    async reconfigure() {
      written = undefined;
      try {
        await configuration.changed();
        published = publishedBy(configuration);
      } finally {
        publishSoon();
      }
    },
    noteRun: (runId, requester) => desk.noteRun(runId, requester),
    announce(event, context) {
      // Calls of OpenClaw's own tools say who started the run, calls of MCP tools do not.
      desk.noteRun(event.runId ?? context.runId, context.requester);
      if (find(event.toolName) === undefined) return undefined;
      return { params: { ...event.params, [ticketArgument]: desk.issue(event, context) } };
    },
    askFirst: (event, context) => askFirst({ desk, find, mayUse, preview }, event, context),
    attachImages: (event) => attachImages(event, (entry) => published.some((each) => each.entry === entry)),
    command,
    async context(agent) {
      const { servers } = await engine.servers();
      return serverContext(await servers.list(), (server) => mayUse(agent, server));
    },
    async withdraw(config) {
      await config.mutateConfigFile({
        afterWrite: { mode: "auto" },
        mutate: (draft) => applyPlan(draft, { entries: {}, denials: [] }, door, door.denials),
      });
      await save({ ...door, denials: [] });
    },
    async close() {
      clearInterval(watch);
      await shut();
    },
  };

  function find(name: string): FoundTool | undefined {
    return findTool(name, published, (server) => engine.catalog.view({ source: server }).tools());
  }

  function preview(tool: CatalogTool, args: unknown, caller: Omit<Caller, "door">): Promise<CallPreview> {
    return engine.guard.preview(tool, args, { ...caller, door: "plugin" });
  }

  async function open(): Promise<Engine> {
    const opened = await openEngine({
      home,
      configuration,
      env,
      homedir,
      log,
      version,
      observed: true,
      sources: { servers: { start: "when-needed" } },
      doors: { http: { host: "127.0.0.1", port: door.port, control: keeper.kind === "here", agent: access } },
    });
    if (keeper.kind === "here") await recordHub(home, opened, version);
    // The gateway does not wait for them.
    setImmediate(
      () => void opened.servers().catch((error: unknown) => log.error("could not open the servers", { error })),
    );
    log.info(keeperText(keeper));
    return opened;
  }

  async function shut(): Promise<void> {
    await engine.close();
    if (keeper.kind !== "here") return;
    await removeHubRecord(home);
    await keeper.release();
  }

  /** A hub that ends leaves its servers to us. */
  async function watchHub(): Promise<void> {
    if (keeper.kind === "here" || isSwitching || (await findRunningHub(home)) !== undefined) return;
    isSwitching = true;
    try {
      keeper = await findKeeper({ home, env, log });
      await engine.close();
      await configuration.changed();
      engine = await open();
      publishSoon();
    } finally {
      isSwitching = false;
    }
  }

  function reportFailure(error: unknown): void {
    log.warn("could not take over the servers of the hub", { error });
  }

  function readOwn(): Readonly<Record<string, unknown>> {
    return written ?? pluginConfigOf(link().config);
  }

  /** Not while the service starts: OpenClaw takes up what we write by starting it again. */
  function publishSoon(): void {
    setTimeout(() => {
      publishing = publishing
        .then(publish)
        .catch((error: unknown) => log.warn("could not publish the servers", { error }));
    }, 10).unref();
  }

  async function publish(): Promise<void> {
    const port = engine.http?.port ?? 0;
    if (port !== door.port) await save({ ...door, port });
    const place = { port, token: door.token };
    const isHidden = (agent: string, server: string): boolean => !mayUse(agent, server);
    const { runtime: config } = link();
    const planned = planEntries(config.current(), published, place, isHidden);
    for (const { server, entry } of planned.clashes)
      log.warn(
        `mcp.servers already has an entry ${entry}, so the server ${server} is not offered. Remove it, or set another toolPrefix.`,
      );
    if (!needsEdit(config.current(), planned, place, door.denials)) return;
    try {
      await config.mutateConfigFile({
        afterWrite: { mode: "auto" },
        mutate: (draft) => applyPlan(draft, planEntries(draft, published, place, isHidden), place, door.denials),
      });
      await save({ ...door, denials: planned.denials });
    } catch (error) {
      const entries = JSON.stringify(Object.keys(planned.entries));
      log.error(`could not write the entries ${entries} into mcp.servers: ${messageOf(error)}`);
    }
  }

  async function save(file: DoorFile): Promise<void> {
    door = file;
    await writeDoorFile(home, file);
  }

  async function command(text: string, { sender, isAuthorized }: CommandSender): Promise<string> {
    const { createMcpCommand } = await import("../hub/verbs/mcp-command.ts");
    const mcp = createMcpCommand({
      control: () => engine.control(),
      async settled() {
        await engine.servers();
        await engine.settled(10_000);
      },
      guard: engine.guard,
      openEditor: (signal) => Promise.resolve(openEditor(signal)),
    });
    const order: ReplyOptions = {
      caller: { door: "plugin", ...(sender !== undefined && { sender }), isOwner: isAuthorized },
      // They typed what is to be done.
      approval: isAuthorized ? "once" : undefined,
      signal: new AbortController().signal,
      log,
      onPartial: () => {},
      onBlock: () => {},
      onToolResult: () => {},
      onActivity: () => {},
      ask: () => Promise.reject(toFault(new Error("no one can be asked"))),
      canAsk: false,
    };
    try {
      const { text: answer = "" } = await mcp(text, order);
      return [...notes(text), answer].join("\n");
    } catch (error) {
      return toFault(error).message;
    }
  }

  /** What the reader should know besides. */
  function notes(text: string): readonly string[] {
    const problem = configuration.problem();
    return [
      ...(problem === undefined ? [] : [problem, ""]),
      ...(/^\s*status\s*$/.test(text) && !isSwitching ? [keeperText(keeper), ""] : []),
    ];
  }

  function openEditor(signal: AbortSignal) {
    const quiet = { ask: () => Promise.resolve(undefined), showWhile: <T>(_: string, work: Promise<T>) => work };
    const host = { env, log, globals: {}, stopSignal: () => signal, ...quiet };
    return createPluginEditor({
      runtime: () => link().runtime,
      onWritten(config) {
        written = config;
      },
      async check(name, settings) {
        const { tryServer } = await import("../hub/config-editor.ts");
        const raw = JSON.stringify(readOwn());
        return tryServer(host, { path: configPath, text: raw, name, settings });
      },
    });
  }
}

function publishedBy(configuration: PluginConfig): readonly Published[] {
  const { servers, agents } = configuration.current();
  const isOffered = ([name, { enabled }]: [string, { enabled: boolean }]): boolean =>
    enabled && isUsedByAgents(agents, name);
  return nameEntries(Object.fromEntries(Object.entries(servers).filter(isOffered)));
}

/** So that commands, and a hub that is started later, find the servers here. */
async function recordHub(home: Home, { http }: Engine, version: string): Promise<void> {
  if (http === undefined) throw new TypeError("the plugin's engine has an HTTP door");
  await writeHubRecord(home, { address: http.address, version, startedAt: new Date().toISOString(), host: "openclaw" });
}
