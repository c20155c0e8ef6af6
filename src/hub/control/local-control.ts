import type { CallCounts } from "../../catalog/audit/call-counts.ts";
import type { Catalog } from "../../catalog/catalog.ts";
import type { Guard } from "../../catalog/guard/guard.ts";
import type { Pins } from "../../catalog/guard/pins.ts";
import type { CatalogTool } from "../../catalog/source.ts";
import { Fault } from "../../core/fault.ts";
import type { LiveLog, Log } from "../../core/log.ts";
import { prepareToSend } from "../../core/http/turn-end.ts";
import { whyUnchecked } from "../../mcp/schema/schema-checker.ts";
import type { RegisteredSession } from "../../sources/apps/session/live-session.ts";
import { unknownServer } from "../../sources/servers/definition.ts";
import type { ConfigSource } from "../engine/config-source.ts";
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
  readonly startedAt: Date;
  readonly calls: CallCounts;
  readonly log: Log & Partial<LiveLog>;
}

export interface OpenDoors {
  readonly http: Pick<OpenedHttp, "address" | "sessionCount" | "refusedTokens" | "surfaces"> | undefined;
  readonly apps: { readonly address: string; sessions(): readonly RegisteredSession[] } | undefined;
}

/** What can be asked of the engine of this process. */
export function createLocalControl(options: LocalControlOptions): HubControl {
  const { catalog, servers, configuration, doors } = options;
  const sourceIds = async (): Promise<readonly string[]> => {
    const names = (await servers.list()).map(({ name }) => name);
    return [...new Set([...catalog.sources().map(({ id }) => id), ...names])];
  };
  return {
    servers,
    tools: createLocalTools(options, sourceIds),
    signIns: options.signIns,
    ...createStateControl({
      ...options,
      openPins: () => Promise.resolve(options.pins),
      async allowsUnattended() {
        const { allowsUnattendedApprovals } = await import("../active-config.ts");
        return allowsUnattendedApprovals(configuration.place, options.home, options.env);
      },
      views: async () => [...new Set(["agent", ...(await sourceIds())])],
    }),
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
    },
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
          hubRefusals: () => Promise.resolve(options.doors().http?.refusedTokens()),
          hubTools: () => Promise.resolve(catalog.tools().map(listedTool)),
        });
      },
    },
    status: {
      read: () => readStatus(options),
      log: () => Promise.resolve(options.log.recent?.() ?? []),
    },
  };
}

function createLocalTools(
  { catalog, guard }: Pick<LocalControlOptions, "catalog" | "guard">,
  sourceIds: () => Promise<readonly string[]>,
): ToolsControl {
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
  return { ...tool, name, source: source.id, ...(unchecked === undefined ? {} : { unchecked }) };
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

async function readStatus(options: LocalControlOptions): Promise<HubStatus> {
  const { catalog, version, startedAt, doors, calls: counts, env } = options;
  const { agentEnvHashes } = await import("../agent-env.ts");
  const { http, apps } = doors();
  const { calls, failed: failedCalls, callers } = counts.read();
  return {
    ...(http && {
      address: http.address,
      sessions: http.sessionCount(),
      refusedTokens: http.refusedTokens(),
      surfaces: http.surfaces(),
    }),
    ...(apps && { appsAddress: apps.address }),
    version,
    pid: process.pid,
    startedAt: startedAt.toISOString(),
    uptimeMs: Date.now() - startedAt.getTime(),
    ...(catalog.sources().some(({ id }) => id === "agent") && { agentEnv: agentEnvHashes(env) }),
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
