import type { Source } from "../catalog/source.ts";
import { Fault } from "../core/fault.ts";
import type { Config } from "../core/config/config-schema.ts";
import type { McpCommand } from "../sources/agent/commands-backend.ts";
import { answerControl } from "./control/answer-control.ts";
import type { AppDoorOptions } from "./engine/apps/open-apps.ts";
import { configFile, type ConfigSource, watchedConfigFile } from "./engine/config-source.ts";
import { type Engine, type EngineOptions, openEngine } from "./engine/engine.ts";
import type { AgentFlags } from "./engine/open-agent.ts";
import type { HttpOptions } from "./engine/open-http.ts";
import type { ServersOptions } from "./engine/open-servers.ts";
import { openConsoleOf } from "./presentation/open-console-of.ts";
import type { ActiveConfig } from "./state/active-config.ts";

/** Where a host runs, and with whom. */
export interface HostPlace extends Pick<
  EngineOptions,
  "home" | "env" | "homedir" | "version" | "log" | "logLevel" | "askers" | "shareQuestion"
> {
  /** That of a file, or of the program that hosts the engine. */
  readonly configuration: ActiveConfig | ConfigSource;
}

/**
 * A host: which sources it has, through which doors they are used, and what it does with its configuration. It loads what it
 * alone needs: the start of `mcp-server` and `serve --stdio` is measured.
 */
type HostRow<Options> = (options: Options, place: Place) => Promise<HostParts>;

interface Place {
  readonly config: Config;
  readonly env: EngineOptions["env"];
}

interface HostParts extends Pick<
  EngineOptions,
  "sources" | "doors" | "observed" | "keepsResults" | "runsScripts" | "claims"
> {
  /** Edits of its file are followed, or it is read once. */
  readonly file: "followed" | "read-once";
}

const row = <Options>(host: HostRow<Options>): HostRow<Options> => host;

/** `/mcp …` in an order; loaded with the first one. It knows what has happened since the last one. */
function mcpCommand(engine: Engine): McpCommand {
  let loading: Promise<McpCommand> | undefined;
  return async (text, order) => {
    loading ??= import("./presentation/mcp-command.ts").then(({ mcpCommandOf }) => mcpCommandOf(engine));
    return (await loading)(text, order);
  };
}

const commandLine = { control: answerControl, console: openConsoleOf } as const;

/** Everything of this program that runs an engine. */
const hosts = {
  /** `clawport up`: everything that the configuration names, once for each state folder. */
  up: row(async ({ sources, ...http }: HubOptions, { config }) => {
    const { host = config.hub.host, allowRemote = config.hub.allowRemote } = http;
    const { requireRemoteConsent } = await import("./engine/listen-address.ts");
    requireRemoteConsent({ host, allowRemote });
    return {
      file: "followed",
      claims: true,
      observed: true,
      keepsResults: true,
      runsScripts: true,
      sources: {
        given: sources ?? [],
        servers: { start: "at-once" },
        agent: { flags: {}, command: mcpCommand },
        machine: "as-configured",
      },
      doors: { apps: "as-configured", gatewayNode: "as-configured", http: { ...http, ...commandLine } },
    };
  }),

  /** `clawport node`: this computer alone. */
  node: row(async ({ port }: Pick<HttpOptions, "port">, { config }) => {
    const { machineSwitches } = await import("../core/config/machine-config.ts");
    const { mcp, gateway } = machineSwitches(config.machine);
    // Before anything is opened: without the MCP server there is no token, either.
    if (!mcp && !gateway) throw new Fault("config", bothOff);
    const http = { host: "127.0.0.1", port, toolNames: "full", surface: "full", ...commandLine } as const;
    return {
      file: "followed",
      claims: true,
      observed: true,
      // The control API knows of servers; there are none here.
      sources: { machine: "always", servers: { start: "by-name", only: [] } },
      doors: { gatewayNode: "as-configured", ...(mcp ? { http } : { controlSocket: answerControl }) },
    };
  }),

  /** `clawport serve`: the configured servers, in a process that is not the hub. Over stdio, the command serves the catalog. */
  serve: row(async ({ only, http }: ServingOptions, { config, env }) => {
    const { unknownServer } = await import("../sources/servers/definition.ts");
    const { isTelemetryWanted } = await import("../core/telemetry/open-telemetry.ts");
    const names = Object.keys(config.servers);
    const missing = only?.find((name) => !names.includes(name));
    if (missing !== undefined) throw unknownServer(missing, names);
    return {
      file: "followed",
      // Over stdio no one can read the metrics, unless they are exported.
      observed: http !== undefined || isTelemetryWanted(env),
      keepsResults: true,
      runsScripts: true,
      sources: { servers: { start: "at-once", only } },
      doors: http === undefined ? {} : { http: { host: "127.0.0.1", ...http } },
    };
  }),

  /** `clawport mcp-server` and `clawport agent` without a hub: orders, and servers with the first order that needs them. */
  orders: row(async (flags: AgentFlags) => ({
    file: "read-once",
    sources: { servers: { start: "when-needed" }, agent: { flags, command: mcpCommand } },
  })),

  /** Commands without a hub: the servers that are needed. A call needs only that of its tool, and that when it runs. */
  command: row(async ({ isFresh }: { readonly isFresh: boolean }) => ({
    file: "read-once",
    sources: { servers: { start: "by-name", isFresh } },
  })),

  /** The plugin in OpenClaw's gateway: servers for its agent, and the hub of its state folder if no other one runs. */
  plugin: row(async ({ apps, isHub, onSignIn, ...http }: PluginOptions) => ({
    file: "followed",
    observed: true,
    sources: { servers: { start: "when-needed", onSignIn }, machine: "as-configured" },
    doors: {
      ...(apps && { apps: "as-configured" }),
      http: { host: "127.0.0.1", ...http, control: isHub ? answerControl : undefined },
    },
  })),

  /** `clawport proxy`: the tools of running apps. */
  proxy: row(async (apps: AppDoorOptions) => ({ file: "read-once", observed: true, doors: { apps } })),
} as const;

export interface HubOptions extends Omit<HttpOptions, "control" | "console"> {
  /** In the catalog before all others, and closed with the hub. */
  readonly sources?: readonly Source[];
}

export interface ServingOptions {
  /** These servers alone. */
  readonly only: readonly string[] | undefined;
  /** Serves HTTP at this port, or at the configured one. */
  readonly http?: Pick<HttpOptions, "port" | "surface">;
}

export interface PluginOptions extends Pick<HttpOptions, "port" | "agent"> {
  /** Whether it serves apps, if `apps` says so. */
  readonly apps: boolean;
  readonly isHub: boolean;
  readonly onSignIn: NonNullable<ServersOptions["onSignIn"]>;
}

const bothOff =
  "Both switches of the node are off, so there is nothing to do. " +
  "Set `machine.enableMcpServer: true` to serve MCP clients on this computer, or `machine.enableNodeMode: true` to connect to an OpenClaw gateway.";

export type HostName = keyof typeof hosts;

export async function openHost<Name extends HostName>(
  name: Name,
  place: HostPlace,
  options: Parameters<(typeof hosts)[Name]>[0],
): Promise<Engine> {
  const { configuration: given, ...rest } = place;
  const { home, env, log } = place;
  const { config } = "active" in given ? given.active : given;
  const { file, ...parts } = await (hosts[name] as HostRow<typeof options>)(options, { config, env });
  if ("active" in given) return openEngine({ ...rest, ...parts, configuration: given });
  const open = file === "followed" ? watchedConfigFile : configFile;
  return openEngine({ ...rest, ...parts, configuration: open({ home, configuration: given, env, log }) });
}
