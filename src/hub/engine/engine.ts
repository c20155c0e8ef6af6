import type { Asker } from "../../catalog/guard/askers.ts";
import type { Source } from "../../catalog/source.ts";
import type { UsageLedger } from "../../catalog/usage/usage-ledger.ts";
import type { Config } from "../../core/config/config-schema.ts";
import type { LoadedConfig } from "../../core/config/load-config.ts";
import type { LiveLog, Log, LogLevel } from "../../core/log.ts";
import type { NamedSecret } from "../../core/shown-text.ts";
import type { Results } from "../../doors/mcp/results/results.ts";
import type { NodeDoor } from "../../doors/node/node-door.ts";
import type { RegisteredSession } from "../../sources/apps/session/live-session.ts";
import { nestedOrderEnv } from "../../sources/agent/order/order-depth.ts";
import type { GatewayFlags } from "../../openclaw/locate-gateway.ts";
import type { OpenedMachine } from "../../sources/machine/open-machine.ts";
import type { HubControl } from "../control/hub-control.ts";
import type { ConfigEditor } from "../verbs/connect.ts";
import type { ConfigSource, FollowedConfig } from "./config-source.ts";
import { createClosers, type EngineParts } from "./engine-parts.ts";
import { type AgentFlags, openAgent } from "./open-agent.ts";
import type { AppDoor, AppDoorOptions } from "./open-apps.ts";
import { type GuardedCatalog, openGuardedCatalog, rulePatterns } from "./open-guard.ts";
import type { HttpOptions, OpenedHttp } from "./open-http.ts";
import type { OpenedServers, ServersOptions } from "./open-servers.ts";
import { hubFiles } from "../hub-files.ts";
import { createMcpCommand } from "../verbs/mcp-command.ts";

export interface EngineOptions extends Pick<EngineParts, "home" | "env" | "homedir" | "version"> {
  /** One that can change while it is in use takes up edits of `log`. */
  readonly log: Log & Partial<LiveLog>;
  readonly configuration: ConfigSource;
  readonly sources?: EngineSources;
  readonly doors?: EngineDoors;
  /** Whom the guard may ask. */
  readonly askers?: readonly Asker[] | undefined;
  /** The log level that the user asked for; the configuration does not override it. */
  readonly logLevel?: LogLevel | undefined;
  /** Keeps large results of tools and sends previews, unless the configuration says otherwise. */
  readonly keepsResults?: boolean;
  /** Counts calls and exports traces: for a process that lives longer than one command. */
  readonly observed?: boolean;
}

/** Which sources of tools the engine opens. */
export interface EngineSources {
  /** Sources that the host brings; they come first in the catalog and are closed with the engine. */
  readonly given?: readonly Source[];
  readonly servers?: ServersOptions;
  /** `order_openclaw`. */
  readonly agent?: { readonly flags: AgentFlags };
  /** The tools of this computer: if `machine.enabled` says so, or in any case. */
  readonly machine?: "as-configured" | "always";
}

/** Through which doors they can be used. A host may serve others itself, from the catalog and the guard. */
export interface EngineDoors {
  readonly http?: HttpOptions;
  /** The app proxy: as configured under `apps`, or as given. */
  readonly apps?: "as-configured" | AppDoorOptions;
  /** This computer as a node of an OpenClaw gateway: if `machine.enableNodeMode` says so. */
  readonly gatewayNode?: "as-configured";
}

/** A running Clawport: sources, catalog, guard and doors, put together once for every host. */
export interface Engine extends EngineParts, AsyncDisposable {
  readonly http: OpenedHttp | undefined;
  readonly apps: OpenedApps | undefined;
  /** This computer, if its tools are offered. */
  readonly machine: OpenedMachine | undefined;
  /** Its connection to the gateway, if it is a node of one. */
  readonly gatewayNode: NodeDoor | undefined;
  /** Opens the configured servers if that has not happened yet. */
  servers(): Promise<OpenedServers>;
  /** What a person or a page can ask of it. Opens the configured servers. */
  control(): Promise<HubControl>;
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

/** How long an order that needs them waits for servers to connect. */
const orderPatienceMs = 10_000;

export async function openEngine(options: EngineOptions): Promise<Engine> {
  const { configuration, sources = {}, doors = {}, home, env, homedir, log, version } = options;
  const { config } = configuration.active;
  const startedAt = new Date();
  const closers = createClosers(log);
  try {
    const { metrics, telemetry, callMetrics, watchCalls } = options.observed ? await observe() : nothingObserved;
    const { path: configPath } = configuration.place;
    const { askers } = options;
    const { file, owner } = configuration.active;
    let secrets = [...(file?.secrets ?? []), ...(owner?.secrets ?? [])];
    const secretsNow = (): readonly NamedSecret[] => secrets;
    const guardOptions = { home, config, configPath, log, closers, askers, metrics: callMetrics, secrets: secretsNow };
    const guarded = openGuardedCatalog(guardOptions);
    watchCalls?.(guarded);
    const results = options.keepsResults ? await openResults(guarded.usage) : undefined;
    const editListeners: ((config: Config) => void)[] = [];
    const parts: EngineParts = {
      home,
      config,
      env,
      homedir,
      log,
      version,
      ...guarded,
      results,
      metrics,
      telemetry,
      closers,
      onEdit: (listener) => void editListeners.push(listener),
    };
    const { catalog, guard } = guarded;
    for (const source of sources.given ?? []) {
      catalog.add(source);
      closers.add(`source ${source.id}`, () => source.close());
    }

    let current = config;
    let opening: Promise<OpenedServers> | undefined;
    let followed: FollowedConfig | undefined;
    let apps: OpenedApps | undefined;
    let http: OpenedHttp | undefined;
    let controlling: Promise<HubControl> | undefined;
    let machine: OpenedMachine | undefined;
    let gatewayNode: NodeDoor | undefined;
    const servers = (): Promise<OpenedServers> => (opening ??= openConfiguredServers());
    const control = (): Promise<HubControl> => (controlling ??= createControl());
    const start = sources.servers?.start;
    if (start !== undefined && start !== "when-needed") await servers();

    machine = await openMachineSource();
    let prepareAgent = (): void => {};
    if (sources.agent !== undefined) {
      const agent = openAgent(parts, {
        flags: sources.agent.flags,
        mcp: createMcpCommand({ control, settled: serversSettled, guard, openEditor }),
        checkCommand: configuration.checkCommand,
        openTools: async () => {
          if (start === "when-needed") await serversSettled();
        },
      });
      prepareAgent = () => agent.prepare();
    }

    apps = await openAppsDoor();
    http = await openHttpDoor();
    gatewayNode = await openNodeOfGateway();
    followed = configuration.follow?.(applyEdit);
    closers.add("configuration", () => followed?.close());
    const close = (): Promise<void> => closers.closeAll();
    return {
      ...parts,
      http,
      apps,
      machine,
      gatewayNode,
      servers,
      control,
      prepareAgent,
      settled: async (withinMs) => (await opening)?.manager.settled(withinMs),
      close,
      [Symbol.asyncDispose]: close,
    };

    async function serversSettled(): Promise<void> {
      await (await servers()).manager.settled(orderPatienceMs);
    }

    /** No one is asked to trust the file: it is the one that this process already uses. */
    async function openEditor(signal: AbortSignal): Promise<ConfigEditor> {
      const { createConfigEditor } = await import("../config-editor.ts");
      const quiet = { ask: () => Promise.resolve(undefined), showWhile: <T>(_: string, work: Promise<T>) => work };
      return createConfigEditor({ env, log, globals: {}, stopSignal: () => signal, ...quiet }, home, false);
    }

    async function openConfiguredServers(): Promise<OpenedServers> {
      const { openServers } = await import("./open-servers.ts");
      return openServers(
        // A server that places orders itself is one level deeper.
        { ...parts, env: sources.agent === undefined ? env : nestedOrderEnv(env) },
        { configuration, start: "when-needed", ...sources.servers },
      );
    }

    async function createControl(): Promise<HubControl> {
      const { createLocalControl } = await import("../control/local-control.ts");
      return createLocalControl({
        ...parts,
        ...(await servers()),
        recordings: () => machine?.recordings() ?? [],
        startedAt,
        configuration,
        reload: async () => (followed ? followed.reload() : applyEdit(await configuration.read())),
        doors: () => ({ http, apps }),
        onCall: guarded.onCall,
        auditLoss: guarded.auditLoss,
        isNode: () => Promise.resolve(sources.machine === "always"),
        live: { machine: () => machine, gatewayNode: () => gatewayNode, openGatewayNode: openNodeNow },
      });
    }

    async function openMachineSource(): Promise<OpenedMachine | undefined> {
      const isWanted = sources.machine === "as-configured" ? config.machine.enabled : sources.machine === "always";
      if (!isWanted) return undefined;
      const { openConfiguredMachine } = await import("./open-machine.ts");
      return openConfiguredMachine(parts, { ...guarded, httpAddress: () => http?.address });
    }

    async function openNodeOfGateway(): Promise<NodeDoor | undefined> {
      if (doors.gatewayNode === undefined || machine === undefined || !config.machine.enableNodeMode) return undefined;
      const { openGatewayNode } = await import("./open-gateway-node.ts");
      return openGatewayNode(parts, machine);
    }

    /** For a person who pairs this computer while it runs. */
    async function openNodeNow(flags: GatewayFlags): Promise<NodeDoor> {
      if (machine === undefined) throw new TypeError("the tools of this computer are not offered");
      const { openGatewayNode } = await import("./open-gateway-node.ts");
      return (gatewayNode = await openGatewayNode(parts, machine, flags));
    }

    async function openAppsDoor(): Promise<OpenedApps | undefined> {
      if (doors.apps === undefined || (doors.apps === "as-configured" && !config.apps.serve)) return undefined;
      const { openAppDoor, openConfiguredApps } = await import("./open-apps.ts");
      const { sessions, door } = await (doors.apps === "as-configured"
        ? openConfiguredApps(parts)
        : openAppDoor(parts, doors.apps));
      return { ...door, sessions: () => sessions.list() };
    }

    async function openHttpDoor(): Promise<OpenedHttp | undefined> {
      if (doors.http === undefined) return undefined;
      const { openHttp } = await import("./open-http.ts");
      return openHttp(parts, {
        ...doors.http,
        takesOrders: sources.agent !== undefined,
        openControl: control,
        guarded,
      });
    }

    async function applyEdit(loaded: LoadedConfig): Promise<void> {
      const { config: edited } = loaded;
      guard.setPolicy(edited.policy ?? {});
      const edits = loaded.secrets ?? [];
      secrets = [...edits, ...secrets.filter(({ value }) => !edits.some((one) => one.value.equals(value)))];
      if (!isSame(current.policy, edited.policy)) catalog.watchPatterns(rulePatterns(edited.policy));
      machine?.consent.setModes(edited.machine.consent);
      if (!isSame(current.catalog, edited.catalog)) catalog.setFilter(edited.catalog);
      log.change?.({ level: options.logLevel ?? edited.log.level, format: edited.log.format });
      if (!isSame(current.hub, edited.hub)) for (const listener of editListeners) listener(edited);
      const { describeEdit, findRestartKeys } = await import("./describe-edit.ts");
      const changes = describeEdit(current, edited);
      const later = findRestartKeys(current, edited);
      current = edited;
      await (await opening)?.servers.apply(loaded);
      if (followed === undefined) return;
      log.info(`the edited configuration is active: ${changes.join(", ") || "nothing has changed"}`);
      for (const key of later)
        log.warn(`changes to ${key} take effect after a restart: press Ctrl-C, then start it again`);
    }
  } catch (error) {
    await closers.closeAll();
    throw error;
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

  async function observe() {
    const { createMetrics } = await import("../../core/telemetry/metrics.ts");
    const { createCallMetrics, watchAuditLoss, watchTokens } = await import("../../core/telemetry/clawport-metrics.ts");
    const { watchProcess } = await import("../../core/telemetry/process-metrics.ts");
    const { openTelemetry } = await import("../../core/telemetry/open-telemetry.ts");
    const metrics = createMetrics();
    const watching = watchProcess(metrics);
    closers.add("process metrics", () => watching[Symbol.dispose]());
    const telemetry = await openTelemetry({ env, version, metrics, log });
    closers.add("telemetry", () => telemetry.close());
    const watchCalls = ({ usage, auditLoss }: GuardedCatalog): void => {
      watchTokens(metrics, () => usage.sinceStart());
      watchAuditLoss(metrics, () => auditLoss().lines);
    };
    return { metrics, telemetry, callMetrics: createCallMetrics(metrics), watchCalls };
  }
}

const nothingObserved = {
  metrics: undefined,
  telemetry: undefined,
  callMetrics: undefined,
  watchCalls: undefined,
} as const;

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
