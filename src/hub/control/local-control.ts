import type { CallCounts } from "../../catalog/audit/call-counts.ts";
import type { Catalog } from "../../catalog/catalog.ts";
import type { Guard } from "../../catalog/guard/guard.ts";
import type { Pins } from "../../catalog/guard/pins.ts";
import type { CatalogTool } from "../../catalog/source.ts";
import type { UsageLedger } from "../../catalog/usage/usage-ledger.ts";
import { Fault } from "../../core/fault.ts";
import type { LiveLog, Log } from "../../core/log.ts";
import { prepareToSend } from "../../core/http/turn-end.ts";
import { whyUnchecked } from "../../mcp/schema/schema-checker.ts";
import type { RegisteredSession } from "../../sources/apps/session/live-session.ts";
import type { ActiveRecording } from "../../sources/machine/desktop/recordings.ts";
import { unknownServer } from "../../sources/servers/definition.ts";
import type { ServerStatus } from "../../sources/servers/server-status.ts";
import type { Config } from "../../core/config/config-schema.ts";
import type { ConfigSource } from "../engine/config-source.ts";
import type { AppDoor } from "../engine/open-apps.ts";
import type { GuardedCatalog } from "../engine/open-guard.ts";
import { hubFiles } from "../hub-files.ts";
import type { LiveMachine } from "./settings/machine-control.ts";
import type { CallSeries } from "./insight/call-series.ts";
import { loadedBy, memoized } from "./loaded-by.ts";
import type { OpenedHttp } from "../engine/open-http.ts";
import type { AppSession, HubControl, HubStatus, ListedTool, ServersControl, ToolsControl } from "./hub-control.ts";
import type { SignInsControl } from "./sign-ins.ts";
import { createStateControl, type StateControlOptions } from "./state-control.ts";

export interface LocalControlOptions extends Omit<
  StateControlOptions,
  "views" | "flags" | "openPins" | "allowsUnattended" | "log"
> {
  readonly version: string;
  readonly catalog: Pick<Catalog, "tools" | "find" | "sources">;
  readonly guard: Pick<Guard, "call">;
  readonly pins: Pins;
  readonly servers: ServersControl;
  readonly signIns: SignInsControl;
  readonly configuration: ConfigSource;
  /** Applies what the configuration says now. */
  reload(): Promise<void>;
  /** Those that are open now. */
  doors(): OpenDoors;
  /** What is being recorded on this computer now. */
  recordings(): readonly ActiveRecording[];
  readonly startedAt: Date;
  readonly calls: CallCounts;
  readonly usage: UsageLedger;
  readonly auditLoss: GuardedCatalog["auditLoss"];
  readonly log: Log & Partial<LiveLog>;
  /** What this process started with. */
  readonly config: Config;
  readonly onCall: GuardedCatalog["onCall"];
  /** Whether this process is `clawport node`. */
  isNode(): Promise<boolean>;
  readonly live: Omit<LiveMachine, "httpAddress">;
}

export interface OpenDoors {
  readonly http:
    | Pick<OpenedHttp, "address" | "sessionCount" | "refusedTokens" | "surfaces" | "noteSurface">
    | undefined;
  readonly apps: (Pick<AppDoor, "address" | "tokenPath"> & { sessions(): readonly RegisteredSession[] }) | undefined;
}

/** What can be asked of the engine of this process. */
export function createLocalControl(options: LocalControlOptions): HubControl {
  const { catalog, servers, configuration, doors } = options;
  const sourceIds = async (): Promise<readonly string[]> => {
    const names = (await servers.list()).map(({ name }) => name);
    return [...new Set([...catalog.sources().map(({ id }) => id), ...names])];
  };
  const settings = memoized(async () => {
    const { openSettings } = await import("./settings/open-settings.ts");
    const httpAddress = (): string | undefined => doors().http?.address;
    return openSettings({ ...options, place: configuration.place, live: { ...options.live, httpAddress } });
  });
  const series = memoized(async () => {
    const { openCallSeries } = await import("./insight/call-series.ts");
    return (counted = await openCallSeries({ file: hubFiles.audit(options.home), onCall: options.onCall }));
  });
  /** Once someone has asked for the calls per minute. */
  let counted: CallSeries | undefined;
  const state = createStateControl({
    ...options,
    openPins: () => Promise.resolve(options.pins),
    async allowsUnattended() {
      const { allowsUnattendedApprovals } = await import("../active-config.ts");
      return allowsUnattendedApprovals(configuration.place, options.home, options.env);
    },
    views: async () => [...new Set(["agent", ...(await sourceIds())])],
  });
  return {
    servers: {
      ...servers,
      list: async () => (await servers.list()).map((status) => withLastUse(status, counted)),
      ...loadedBy(["add", "remove", "enable", "importable", "import"], async () => (await settings()).servers),
    },
    tools: createLocalTools(options, sourceIds),
    signIns: options.signIns,
    ...state,
    rules: loadedBy(["list", "save", "dryRun"], async () => (await settings()).rules),
    machine: loadedBy(
      ["read", "set", "consent", "forget", "revealToken", "pairing", "pair"],
      async () => (await settings()).machine,
    ),
    agent: loadedBy(["read"], async () => (await settings()).agent),
    clients: loadedBy(["list", "preview", "install", "uninstall"], async () => (await settings()).clients),
    apps: {
      async list() {
        const { shortHash } = await import("../../catalog/audit/audit-line.ts");
        return (doors().apps?.sessions() ?? []).map((session) => appSession(session, shortHash(session.id)));
      },
    },
    configuration: {
      place: () => Promise.resolve(configuration.place),
      async read() {
        const { readConfigText } = await import("./config-text.ts");
        return readConfigText(configuration.place, options.env);
      },
      reload: () => options.reload(),
      ...loadedBy(["schema", "validate", "hide", "write"], async () => (await settings()).configuration),
    },
    usage: loadedBy(["read"], async () => {
      const { createUsageControl } = await import("./usage-control.ts");
      return createUsageControl(options);
    }),
    doctor: {
      async findings() {
        const { examine } = await import("../doctor/examine.ts");
        const { readConfigAt } = await import("../active-config.ts");
        return examine({
          ...options,
          cwd: process.cwd(),
          platform: process.platform,
          nodeVersion: process.versions.node,
          uid: process.getuid?.(),
          readConfig: () => readConfigAt(configuration.place, options.home, options.env),
          hubServers: () => servers.list(),
          hubStatus: () => readStatus(options),
          hubTools: () => Promise.resolve(catalog.tools().map(listedTool)),
        });
      },
    },
    status: {
      read: () => readStatus(options),
      async forRelay() {
        const names = (await servers.list()).map(({ name }) => name);
        return { configPath: configuration.place.path, servers: names, ...(await readAgentEnv(options)) };
      },
      noteSurface: (given) => Promise.resolve(doors().http?.noteSurface(given)),
      log: () => Promise.resolve(options.log.recent?.() ?? []),
      async attention() {
        const { findAttention } = await import("./insight/find-attention.ts");
        const approvals = await state.approvals.list();
        const gatewayNode = options.live.gatewayNode();
        return findAttention({ servers: await servers.list(), approvals, gatewayNode, auditLoss: options.auditLoss() });
      },
      series: async (minutes = 60) => (await series()).read(minutes),
    },
  };
}

function withLastUse(status: ServerStatus, counted: CallSeries | undefined): ServerStatus {
  const at = counted?.lastUse(status.name);
  return at === undefined ? status : { ...status, lastUse: new Date(at).toISOString() };
}

function createLocalTools(
  { catalog, guard }: Pick<LocalControlOptions, "catalog" | "guard">,
  sourceIds: () => Promise<readonly string[]>,
): ToolsControl {
  const toolSearch = memoized(async () => {
    const { createToolSearch } = await import("../../catalog/search/tool-search.ts");
    return createToolSearch({ tools: () => catalog.tools() });
  });
  return {
    async list(source) {
      if (source === undefined) return catalog.tools().map(listedTool);
      const ids = await sourceIds();
      if (!ids.includes(source)) throw unknownServer(source, ids);
      return catalog
        .tools()
        .filter((tool) => tool.source.id === source)
        .map(listedTool);
    },
    async find(name) {
      const found = catalog.find(name);
      return found && listedTool(found);
    },
    async search(query) {
      const { findClosest, searchTools } = await import("./insight/search-tools.ts");
      const page = searchTools(catalog, query);
      const isAnswer = page.total > 0 || query?.closest !== true || !query.query;
      return isAnswer ? page : findClosest(catalog, await toolSearch(), query);
    },
    async call({ name }, args, context) {
      const tool = catalog.find(name);
      if (tool === undefined)
        throw new Fault("unknown-tool", `The tool ${name} is no longer available. List the tools again.`);
      try {
        return await guard.call(tool, args, context);
      } finally {
        // A command prints the answer at once.
        prepareToSend();
      }
    },
  };
}

function listedTool({ name, source, tool }: CatalogTool): ListedTool {
  const unchecked = whyUnchecked(tool.inputSchema);
  return {
    ...tool,
    name,
    source: source.id,
    ...(unchecked === undefined ? {} : { unchecked }),
    ...(source.judgesArguments ? { judgesArguments: true } : {}),
  };
}

/** `id` is the one that the audit has for its calls, too. */
function appSession({ record, source, bridge, expiresAt }: RegisteredSession, id: string): AppSession {
  return {
    id,
    name: record.deviceName,
    version: record.appVersion,
    tools: source.tools().map(({ name }) => name),
    bridge: bridge === undefined ? "disconnected" : "connected",
    callsInFlight: bridge?.inFlight ?? 0,
    expiresAt: new Date(expiresAt).toISOString(),
  };
}

async function readAgentEnv({
  catalog,
  env,
}: Pick<LocalControlOptions, "catalog" | "env">): Promise<Pick<HubStatus, "agentEnv">> {
  if (!catalog.sources().some(({ id }) => id === "agent")) return {};
  const { agentEnvHashes } = await import("../agent-env.ts");
  return { agentEnv: agentEnvHashes(env) };
}

async function readStatus(options: LocalControlOptions): Promise<HubStatus> {
  const { catalog, version, startedAt, doors, calls: counts } = options;
  const { http, apps } = doors();
  const { calls, failed: failedCalls, callers } = counts.read();
  const recording = options.recordings();
  const auditLoss = options.auditLoss();
  return {
    ...(http && {
      address: http.address,
      sessions: http.sessionCount(),
      refusedTokens: http.refusedTokens(),
      surfaces: http.surfaces(),
    }),
    ...(apps && { appsAddress: apps.address, appsTokenPath: apps.tokenPath }),
    version,
    pid: process.pid,
    startedAt: startedAt.toISOString(),
    uptimeMs: Date.now() - startedAt.getTime(),
    ...(await readAgentEnv(options)),
    ...(recording.length > 0 && { recording }),
    ...((auditLoss.isFailing || auditLoss.lines > 0) && { auditLoss }),
    calls,
    failedCalls,
    callers: callers.map(({ failed, lastAt, ...caller }) => ({
      ...caller,
      failedCalls: failed,
      lastCall: new Date(lastAt).toISOString(),
    })),
    sources: catalog.sources().map((source) => ({ id: source.id, kind: source.kind, tools: source.tools().length })),
  };
}
