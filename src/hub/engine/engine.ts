import type { Asker } from "../../catalog/guard/askers.ts";
import type { Source } from "../../catalog/source.ts";
import type { UsageLedger } from "../../catalog/usage/usage-ledger.ts";
import type { Config } from "../../core/config/config-schema.ts";
import type { GatewayFlags } from "../../openclaw/locate-gateway.ts";
import type { LiveLog, Log, LogLevel } from "../../core/log.ts";
import type { Results } from "../../doors/mcp/results/results.ts";
import type { ScriptSettings } from "../../doors/mcp/scripts/script-offer.ts";
import type { Scripts } from "../../scripts/scripts.ts";
import type { NodeDoor } from "../../doors/node/node-door.ts";
import type { RegisteredSession } from "../../sources/apps/session/live-session.ts";
import { nestedOrderEnv } from "../../sources/agent/order/order-depth.ts";
import type { OpenedMachine } from "../../sources/machine/open-machine.ts";
import type { ConfigSource } from "./config-source.ts";
import { createClosers, type EngineParts } from "./engine-parts.ts";
import { type AgentFlags, openAgent } from "./open-agent.ts";
import { createLiveEdits } from "./live-edits.ts";
import { createLiveMachine } from "./live-machine.ts";
import type { AppDoor, AppDoorOptions } from "./apps/open-apps.ts";
import { type GuardedCatalog, openGuardedCatalog, type OpenGuardOptions } from "./open-guard.ts";
import type { ControlPort, HttpOptions, OpenedHttp } from "./open-http.ts";
import type { McpCommand } from "../../sources/agent/commands-backend.ts";
import type { OpenedServers, ServersOptions } from "./open-servers.ts";
import { hubFiles } from "../state/hub-files.ts";
import type { ProcessRecord } from "../state/hub-record.ts";

export interface EngineOptions extends Pick<EngineParts, "home" | "env" | "homedir" | "version"> {
  /** One that can change while it is in use takes up edits of `log`. */
  readonly log: Log & Partial<LiveLog>;
  readonly configuration: ConfigSource;
  readonly sources?: EngineSources;
  readonly doors?: EngineDoors;
  /** Whom the guard may ask. */
  readonly askers?: readonly Asker[] | undefined;
  /** Hands the questions of the guard to another process that people ask. */
  readonly shareQuestion?: OpenGuardOptions["shareQuestion"];
  /** The log level that the user asked for; the configuration does not override it. */
  readonly logLevel?: LogLevel | undefined;
  /** Keeps large results of tools and sends previews, unless the configuration says otherwise. */
  readonly keepsResults?: boolean;
  /** Runs the scripts of clients, unless the configuration says otherwise. */
  readonly runsScripts?: boolean;
  /** Counts calls and exports traces: for a process that lives longer than one command. */
  readonly observed?: boolean;
  /** Makes it the only hub or node of its state folder, which others find there. Faults with `conflict` if one runs. */
  readonly claims?: boolean;
}

/** Which sources of tools the engine opens. */
export interface EngineSources {
  /** Sources that the host brings; they come first in the catalog and are closed with the engine. */
  readonly given?: readonly Source[];
  readonly servers?: ServersOptions;
  /** `order_openclaw`, and what answers `/mcp` in an order. */
  readonly agent?: OrderSource;
  /** The tools of this computer: if `machine.enabled` says so, or in any case. */
  readonly machine?: "as-configured" | "always";
}

interface OrderSource {
  readonly flags: AgentFlags;
  readonly command: (engine: Engine) => McpCommand;
}

/** Through which doors they can be used. A host may serve others itself, from the catalog and the guard. */
export interface EngineDoors {
  readonly http?: HttpOptions;
  /** Without `http`: the socket where the owner's commands connect. Only for a process that holds the lock of a hub. */
  readonly controlSocket?: ControlPort;
  /** The app proxy: as configured under `apps`, or as given. */
  readonly apps?: "as-configured" | AppDoorOptions;
  /** This computer as a node of an OpenClaw gateway: if `machine.enableNodeMode` says so. */
  readonly gatewayNode?: "as-configured";
}

/** A running Clawport: sources, catalog, guard and doors, put together once for every host. */
export interface Engine extends EngineParts, AsyncDisposable, Omit<GuardedCatalog, keyof EngineParts> {
  readonly startedAt: Date;
  /** What other processes find it by, if it claims its state folder. */
  readonly record: ProcessRecord | undefined;
  readonly configuration: ConfigSource;
  /** The configuration that is in use now; `config` is the one of the start. */
  readonly current: Config;
  /** Whether it is `clawport node`, which offers this computer in any case. */
  readonly isNode: boolean;
  readonly http: OpenedHttp | undefined;
  /** Where the owner's commands connect, if they can. */
  readonly socket: string | undefined;
  readonly apps: OpenedApps | undefined;
  /** This computer, if its tools are offered. */
  readonly machine: OpenedMachine | undefined;
  /** Its connection to the gateway, if it is a node of one. */
  readonly gatewayNode: NodeDoor | undefined;
  /** Opens the configured servers if that has not happened yet. */
  servers(): Promise<OpenedServers>;
  /** Applies what the configuration says now. */
  reload(): Promise<void>;
  /** For a person who pairs this computer while it runs. */
  openGatewayNode(flags: GatewayFlags): Promise<NodeDoor>;
  /** The last lines of its log. */
  recentLog(): readonly string[];
  /** Starts what the first order would otherwise wait for. */
  prepareAgent(): void;
  /** Resolves when every server was tried once, or after the time. */
  settled(withinMs: number): Promise<void>;
  /** Lets running calls finish, then closes everything. */
  close(): Promise<void>;
}

export interface OpenedApps extends AppDoor {
  sessions(): readonly RegisteredSession[];
}

/** Its doors open one after the other, and a request may come in between. */
type OpeningEngine = { -readonly [Key in keyof Engine]: Engine[Key] };

/** How long an order that needs them waits for servers to connect. */
const orderPatienceMs = 10_000;

/** What it opens, from top to bottom; it is closed in the reverse order. */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  const { configuration, sources = {}, doors = {}, home, env, homedir, log, version } = options;
  const { config } = configuration.active;
  const startedAt = new Date();
  const closers = createClosers(log);
  const close = (): Promise<void> => closers.closeAll();
  try {
    const claim = options.claims ? await claimFolder() : undefined;
    const observed = options.observed ? await openObservation() : undefined;
    const edits = createLiveEdits({ configuration, log, logLevel: options.logLevel, isNode: isNode() });
    const guarded = openGuardedCatalog({
      home,
      config,
      configPath: configuration.place.path,
      log,
      closers,
      askers: options.askers,
      metrics: observed?.callMetrics,
      secrets: () => edits.secrets(),
      shareQuestion: options.shareQuestion,
    });
    observed?.watchCalls(guarded);
    const parts: EngineParts = {
      home,
      config,
      env,
      homedir,
      log,
      version,
      ...guarded,
      results: options.keepsResults ? await openResults(guarded.usage) : undefined,
      scripts: options.runsScripts ? scriptSettings(() => edits.current().hub.scripts) : undefined,
      metrics: observed?.metrics,
      telemetry: observed?.telemetry,
      closers,
      onEdit: (listener) => edits.onEdit(listener),
    };
    const computer = createLiveMachine(parts, {
      offers: sources.machine,
      isNode: doors.gatewayNode !== undefined,
      wiring: { ...guarded, httpAddress: () => engine.http?.address },
    });
    let opening: Promise<OpenedServers> | undefined;
    const engine: OpeningEngine = {
      ...parts,
      ...guarded,
      startedAt,
      record: undefined,
      configuration,
      isNode: isNode(),
      http: undefined,
      socket: undefined,
      apps: undefined,
      get current() {
        return edits.current();
      },
      get machine() {
        return computer.machine();
      },
      get gatewayNode() {
        return computer.gatewayNode();
      },
      servers: () => (opening ??= openConfiguredServers(parts)),
      reload: () => edits.reload(),
      openGatewayNode: (flags) => computer.openGatewayNode(edits.current().machine, flags),
      recentLog: () => log.recent?.() ?? [],
      prepareAgent: () => {},
      settled: async (withinMs) => (await opening)?.manager.settled(withinMs),
      close,
      [Symbol.asyncDispose]: close,
    };
    edits.applyTo({ ...guarded, computer, servers: () => opening });

    for (const source of sources.given ?? []) {
      guarded.catalog.add(source);
      closers.add(`source ${source.id}`, () => source.close());
    }
    if (startsServers()) await engine.servers();
    await computer.applyTools(config.machine);
    if (sources.agent !== undefined) engine.prepareAgent = openOrders(parts, engine, sources.agent);
    engine.apps = await openAppsDoor(parts);
    engine.http = await openHttpDoor(parts, engine);
    engine.socket = engine.http === undefined ? await openOwnSocket(parts, engine) : engine.http.socket;
    await computer.applyGateway(config.machine);
    engine.record = await claim?.record(engine);
    edits.follow();
    closers.add("configuration", () => edits.close());
    return engine;
  } catch (error) {
    await close();
    throw error;
  }

  function isNode(): boolean {
    return sources.machine === "always";
  }

  /** Others find the record until everything else is closed. */
  async function claimFolder() {
    const { claimHub, removeHubRecord, writeHubRecord } = await import("../state/hub-record.ts");
    const claim = await claimHub(home, log);
    closers.add("claim of the state folder", () => claim.release());
    closers.add("record", () => removeHubRecord(home));
    return {
      record: ({ http, socket, apps }: Engine): Promise<ProcessRecord> =>
        writeHubRecord(home, {
          address: http?.address,
          socket,
          version,
          startedAt: startedAt.toISOString(),
          ...(apps?.drainMs !== undefined && { drainMs: apps.drainMs }),
        }),
    };
  }

  async function openObservation() {
    const { observe } = await import("./observe.ts");
    return observe({ env, version, log, closers });
  }

  async function openResults(usage: UsageLedger): Promise<Results | undefined> {
    const { createResults } = await import("../../doors/mcp/results/results.ts");
    const results = createResults({
      folder: hubFiles.results(home),
      config: config.results,
      log,
      // The id of an app's session grants access to it.
      onKept: ({ caller, tool: { source, name }, size }) =>
        usage.noteKept({ caller, source: source.kind === "app" ? "app" : source.id, tool: name, size }),
    });
    closers.add("results", () => results?.close());
    return results;
  }

  /** Loaded with the first script: most hubs never run one. */
  function scriptSettings(setting: ScriptSettings["setting"]): ScriptSettings {
    let opened: Scripts | undefined;
    closers.add("scripts", () => opened?.close());
    return {
      setting,
      async open() {
        const { createScripts } = await import("../../scripts/scripts.ts");
        return (opened ??= createScripts({ config: config.scripts, log }));
      },
    };
  }

  function startsServers(): boolean {
    return sources.servers?.start !== undefined && sources.servers.start !== "when-needed";
  }

  async function openConfiguredServers(parts: EngineParts): Promise<OpenedServers> {
    const { openServers } = await import("./open-servers.ts");
    return openServers(
      // A server that places orders itself is one level deeper.
      { ...parts, env: sources.agent === undefined ? env : nestedOrderEnv(env) },
      { configuration, start: "when-needed", ...sources.servers },
    );
  }

  function openOrders(parts: EngineParts, engine: Engine, { flags, command }: OrderSource): () => void {
    const agent = openAgent(parts, {
      flags,
      mcp: command(engine),
      checkCommand: configuration.checkCommand,
      async openTools() {
        if (sources.servers?.start !== "when-needed") return;
        await (await engine.servers()).manager.settled(orderPatienceMs);
      },
    });
    return () => agent.prepare();
  }

  async function openAppsDoor(parts: EngineParts): Promise<OpenedApps | undefined> {
    if (doors.apps === undefined || (doors.apps === "as-configured" && !config.apps.serve)) return undefined;
    const { openAppDoor, openConfiguredApps } = await import("./apps/open-apps.ts");
    const { sessions, door } = await (doors.apps === "as-configured"
      ? openConfiguredApps(parts)
      : openAppDoor(parts, doors.apps));
    return { ...door, sessions: () => sessions.list() };
  }

  async function openHttpDoor(parts: EngineParts, engine: Engine): Promise<OpenedHttp | undefined> {
    if (doors.http === undefined) return undefined;
    const { openHttp } = await import("./open-http.ts");
    return openHttp(parts, { ...doors.http, takesOrders: sources.agent !== undefined, engine });
  }

  async function openOwnSocket(parts: EngineParts, engine: Engine): Promise<string | undefined> {
    if (doors.controlSocket === undefined) return undefined;
    const { openControlSocket } = await import("./open-control-socket.ts");
    return openControlSocket(parts, doors.controlSocket(engine));
  }
}
