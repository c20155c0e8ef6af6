import { join } from "node:path";
import type { Caller } from "../catalog/caller.ts";
import type { CallPreview } from "../catalog/guard/call-admission.ts";
import type { CatalogTool } from "../catalog/source.ts";
import type { View } from "../catalog/view.ts";
import { mayUseServer } from "../core/config/agent-servers-config.ts";
import { Fault, isFault, messageOf } from "../core/fault.ts";
import { openHome } from "../core/files/home.ts";
import type { LiveLog } from "../core/log.ts";
import type { Env } from "../core/process/child-env.ts";
import { readVersion } from "../core/version.ts";
import type { Engine } from "../hub/engine/engine.ts";
import { openHost } from "../hub/hosts.ts";
import { findRunningHub, removeHubRecord } from "../hub/state/hub-record.ts";
import { createAgentDoor } from "./calls/agent-door.ts";
import { askFirst } from "./calls/ask-first.ts";
import { attachImages } from "./calls/images.ts";
import { createManageCalls } from "./calls/manage-calls.ts";
import { findOpenClawTool, type FoundOpenClawTool, manageTool, notRunning } from "./calls/openclaw-tools.ts";
import { createRunSenders } from "./calls/run-senders.ts";
import { createTicketRegistry, ticketArgument } from "./calls/tickets.ts";
import type { Published } from "./entries/entries.ts";
import { createPublished, publishedFilter } from "./entries/published.ts";
import { openPublisher } from "./entries/publisher.ts";
import { createConfigWrites } from "./config-writes.ts";
import { findServerOwner, serverOwnerText, recordHub, useHub } from "./server-owner.ts";
import type {
  CallerContext,
  ChatCommandContext,
  ConfigEdit,
  MessageFacts,
  OpenClawConfig,
  OpenClawConfigRuntime,
  OpenClawToolResult,
  RunRequester,
  ToolCallDecision,
  ToolCallEvent,
  ToolResultEvent,
} from "./openclaw-api.ts";
import { openOwnerChat } from "./owner-chat.ts";
import { createOwnerNews } from "./owner-news.ts";
import { createPluginCommands, typedBy } from "./plugin-commands.ts";
import { openPluginConfig, pluginConfigOf } from "./plugin-config.ts";
import { serverContext } from "./server-context.ts";
import { createSerialQueue } from "../core/serial-queue.ts";

/** How the plugin reaches OpenClaw now. A reload of the plugin replaces it. */
export interface OpenClawLink {
  readonly runtime: Pick<OpenClawConfigRuntime, "current">;
  /** Writes OpenClaw's configuration file. `attempt` counts from 1. */
  write(edit: ConfigEdit, attempt: number): Promise<unknown>;
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

/** The engine inside OpenClaw's gateway, with its endpoints and their entries in OpenClaw's configuration. */
export interface RunningPlugin {
  readonly version: string;
  /** Remembers who wrote in a chat. */
  noteMessage(event: MessageFacts, context: MessageFacts): void;
  /** Remembers who started a run. */
  noteRun(runId: string | undefined, sessionKey: string | undefined, requester: RunRequester | undefined): void;
  /** The arguments of a call with a ticket, if it is a call of one of our tools. */
  announce(event: ToolCallEvent, context: CallerContext): { params: Record<string, unknown> } | undefined;
  /** What OpenClaw must do before it sends a call. */
  askFirst(event: ToolCallEvent, context: CallerContext): Promise<ToolCallDecision | undefined>;
  /** A result of Tool Search with its images attached, if it has any. */
  attachImages(event: ToolResultEvent): OpenClawToolResult | undefined;
  /** Applies what OpenClaw's configuration says now; only servers that changed restart. */
  reconfigure(): Promise<void>;
  /** Answers `/mcp …`, as someone typed it in a chat. */
  command(text: string, context: ChatCommandContext): Promise<string>;
  /** Answers `mcp_manage` as the agent and sender that use it. */
  manage(params: Readonly<Record<string, unknown>>): Promise<string>;
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
  const senders = createRunSenders();
  const desk = createTicketRegistry(senders);
  const ownerChat = await openOwnerChat({ home, env, homedir, log, version });
  const writes = createConfigWrites({ log, write: (edit, attempt) => publisher.write(edit, attempt) });
  let serverOwner = await findServerOwner({ home, log });
  let engine: Engine | undefined;
  let views = new Map<string, View>();
  const configuration = openPluginConfig({
    path: configPath,
    env,
    log,
    read: readOwn,
    adapt: (config) => useHub(config, serverOwner),
  });
  const publishedOf = createPublished();
  /** With changes that OpenClaw has not taken up yet. */
  const published = (): readonly Published[] =>
    publishedOf(configuration.current(), engine, serverOwner.kind === "hub" ? serverOwner.apps : undefined);
  const publisher = await openPublisher({
    home,
    log,
    configuration,
    current: () => link().runtime.current(),
    write: (edit, attempt) => link().write(edit, attempt),
    idle: () => writes.idle(),
    published,
    port: () => engine?.http?.port,
  });
  const mayUse = (agent: string | undefined, server: string): boolean =>
    mayUseServer(configuration.current().agents, agent, server);
  const access = createAgentDoor({
    token: publisher.token,
    desk,
    mediaFolder: join(stateDir, "media", "mcp"),
    published,
    mayUse,
  });
  const run = createPluginCommands({
    configPath,
    env,
    log,
    configuration,
    mayUse,
    engine: requireEngine,
    serverOwner: () => serverOwner,
    writes,
    ownerChat,
    readOwn,
  });
  const managing = createManageCalls({ desk, log, preview, guard: () => requireEngine().guard, run });
  await open();
  /** One change follows the other. */
  const runSerially = createSerialQueue();
  const watch = setInterval(() => void runSerially(watchHub).catch(reportFailure), 3000).unref();

  return {
    version,
    reconfigure: () => runSerially(reconfigure),
    noteMessage(event, { sessionKey = event.sessionKey, channelId, senderId = event.senderId }) {
      writes.expect(/^\s*\/mcp\b/i.test(event.content ?? ""));
      senders.noteMessage(sessionKey, channelId, senderId);
    },
    noteRun: (runId, sessionKey, requester) => senders.noteRun(runId, sessionKey, requester),
    announce(event, context) {
      // Calls of OpenClaw's own tools say who started the run, calls of MCP tools do not.
      senders.noteRun(event.runId ?? context.runId, context.sessionKey, context.requester);
      if (event.toolName !== manageTool && find(event.toolName) === undefined) return undefined;
      return { params: { ...event.params, [ticketArgument]: desk.issue(event, context) } };
    },
    async askFirst(event, context) {
      if (event.toolName === manageTool) return managing.askFirst(event);
      return askFirst({ desk, find, mayUse, preview }, event, context);
    },
    attachImages: (event) => attachImages(event, (entry) => published().some((each) => each.entry === entry)),
    command: (text, context) => run(text, typedBy(context)),
    manage: (params) => managing.call(params),
    async context(agent) {
      const { servers } = await requireEngine().servers();
      return serverContext(await servers.list(), (server) => mayUse(agent, server));
    },
    withdraw: (config) => publisher.withdraw(config),
    async close() {
      clearInterval(watch);
      await runSerially(shut);
      await serverOwner.release();
    },
  };

  async function reconfigure(): Promise<void> {
    writes.takenUp();
    try {
      if ((await configuration.changed()) === "reopen" || engine === undefined) await reopen();
    } finally {
      publisher.publishSoon();
    }
  }

  /** While it opens again there is none for a moment. */
  function requireEngine(): Engine {
    if (engine === undefined) throw new Fault("unavailable", notRunning);
    return engine;
  }

  function find(name: string): FoundOpenClawTool | undefined {
    return findOpenClawTool(name, published(), (server) => viewOf(server)?.tools() ?? []);
  }

  function viewOf(server: string): View | undefined {
    const view = views.get(server) ?? engine?.catalog.view(publishedFilter(server));
    if (view !== undefined) views.set(server, view);
    return view;
  }

  function preview(tool: CatalogTool, args: unknown, caller: Omit<Caller, "door">): Promise<CallPreview> {
    return requireEngine().guard.preview(tool, args, { ...caller, door: "plugin" });
  }

  async function open(): Promise<void> {
    // The port of the apps is the hub's, if there is one.
    const wantsApps = serverOwner.kind === "here" && configuration.current().apps.serve;
    const opened = wantsApps ? await openWith("apps").catch(openWithoutApps) : await openWith();
    engine = opened;
    views = new Map();
    if (serverOwner.kind === "here") await recordHub(home, opened.http, version);
    // The gateway does not wait for them.
    setImmediate(
      () => void opened.servers().catch((error: unknown) => log.error("could not open the servers", { error })),
    );
    log.info(serverOwnerText(serverOwner));
    publisher.publishSoon();
  }

  async function openWith(apps?: "apps"): Promise<Engine> {
    try {
      return await openAt(publisher.lastPort, apps);
    } catch (error) {
      if (publisher.lastPort === undefined || !isFault(error, "conflict")) throw error;
      log.warn(`port ${publisher.lastPort} is taken; the entries in mcp.servers get another one`);
      return openAt(undefined, apps);
    }
  }

  function openAt(port: number | undefined, apps?: "apps"): Promise<Engine> {
    const place = {
      home,
      configuration,
      env,
      homedir,
      log,
      version,
      // With a hub beside it, `clawport approve` and the console ask the hub.
      shareQuestion: async (id: string, question: string) =>
        serverOwner.kind === "hub" ? serverOwner.control.approvals.hold({ id, question }) : undefined,
    };
    return openHost("plugin", place, {
      port,
      agent: access,
      apps: apps !== undefined,
      isHub: serverOwner.kind === "here",
      onSignIn: createOwnerNews({ engine: requireEngine, ownerChat, log }),
    });
  }

  /** A mistake there must not take the servers away. */
  function openWithoutApps(error: unknown): Promise<Engine> {
    log.error(`the apps are not served: ${messageOf(error)}`);
    return openWith();
  }

  async function shut(): Promise<void> {
    const open = engine;
    engine = undefined;
    await open?.close();
    if (serverOwner.kind === "here") await removeHubRecord(home);
  }

  async function reopen(): Promise<void> {
    await shut();
    await open();
  }

  /** A hub that ends leaves its servers to us; one that could not be asked may have been started again. */
  async function watchHub(): Promise<void> {
    if (serverOwner.kind === "here") return;
    const running = await findRunningHub(home);
    if (running !== undefined && (serverOwner.kind === "hub" || running.socket === undefined)) return;
    const before = serverOwner;
    serverOwner = await findServerOwner({ home, log });
    await before.release();
    if (before.kind === "apart" && serverOwner.kind === "apart") return;
    await configuration.read();
    await reopen();
  }

  function reportFailure(error: unknown): void {
    log.warn("could not take over the servers of the hub", { error });
  }

  function readOwn(): Readonly<Record<string, unknown>> {
    return writes.withEdits(pluginConfigOf(link().config));
  }
}
