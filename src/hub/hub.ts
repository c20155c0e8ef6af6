import { homedir } from "node:os";
import type { Asker } from "../catalog/guard/askers.ts";
import type { Source } from "../catalog/source.ts";
import type { Home } from "../core/files/home.ts";
import { hubMcpUrl } from "../core/http/hub-routes.ts";
import type { LiveLog, LogLevel } from "../core/log.ts";
import type { World } from "../core/process/world.ts";
import type { ServerStatus } from "../sources/servers/server-status.ts";
import type { ActiveConfig } from "./active-config.ts";
import { watchedConfigFile } from "./engine/config-source.ts";
import { openEngine } from "./engine/engine.ts";
import { requireRemoteConsent } from "./engine/listen-address.ts";
import type { HttpOptions, OpenedHttp } from "./engine/open-http.ts";
import { claimHub, type HubRecord, removeHubRecord, writeHubRecord } from "./hub-record.ts";

export interface HubOptions extends Omit<HttpOptions, "control"> {
  readonly home: Home;
  readonly configuration: ActiveConfig;
  readonly env: World["env"];
  /** That of the user unless given. */
  readonly homedir?: string;
  readonly log: LiveLog;
  readonly version: string;
  /** The log level that the user asked for; the configuration does not override it. */
  readonly level?: LogLevel | undefined;
  /** In the catalog before all others, and closed with the hub. */
  readonly sources?: readonly Source[];
  readonly askers?: readonly Asker[];
}

/** The engine with everything the configuration names, the only one of its state folder. */
export interface Hub extends AsyncDisposable, Pick<OpenedHttp, "port" | "wantedPort" | "tokenPath" | "remoteNames"> {
  /** Where MCP clients connect: `http://127.0.0.1:8765/mcp`. */
  readonly url: string;
  readonly record: HubRecord;
  /** Where apps connect if the hub is their proxy, too: `http://127.0.0.1:8000`. */
  readonly appsAddress: string | undefined;
  /** How long `drainApps` may take; undefined if no other instance could take the apps. */
  readonly drainMs: number | undefined;
  /** Hands the apps over to other instances of the app proxy. */
  drainApps(): Promise<void>;
  sources(): readonly Source[];
  /** The configured servers and their states. */
  servers(): Promise<readonly ServerStatus[]>;
  /** Resolves when every server was tried once, or after the time. */
  settled(withinMs: number): Promise<void>;
  /** Lets running calls finish, then closes everything. */
  close(): Promise<void>;
}

/** Faults with `conflict` if a hub of this state folder is running already. */
export async function openHub(options: HubOptions): Promise<Hub> {
  const { home, configuration, env, log, version, host, port, allowRemote } = options;
  const { hub } = configuration.config;
  requireRemoteConsent({ host: host ?? hub.host, allowRemote: allowRemote ?? hub.allowRemote });
  const claim = await claimHub(home, log);
  try {
    const engine = await openEngine({
      home,
      configuration: watchedConfigFile({ home, configuration, env, log }),
      env,
      homedir: options.homedir ?? homedir(),
      log,
      version,
      logLevel: options.level,
      askers: options.askers,
      observed: true,
      keepsResults: true,
      sources: {
        given: options.sources ?? [],
        servers: { start: "at-once" },
        agent: { flags: {} },
        machine: "as-configured",
      },
      doors: {
        apps: "as-configured",
        gatewayNode: "as-configured",
        http: { host, port, allowRemote, control: true, console: true },
      },
    });
    const { http, apps } = engine;
    if (http === undefined) throw new TypeError("a hub has an HTTP door");
    const record = await writeHubRecord(home, {
      address: http.address,
      socket: http.socket,
      version,
      startedAt: new Date().toISOString(),
      ...(apps?.drainMs !== undefined && { drainMs: apps.drainMs }),
    });
    const close = async (): Promise<void> => {
      await engine.close();
      await removeHubRecord(home);
      await claim.release();
    };
    const { port: takenPort, wantedPort, tokenPath, remoteNames } = http;
    return {
      url: hubMcpUrl(http.address),
      port: takenPort,
      wantedPort,
      tokenPath,
      remoteNames,
      record,
      appsAddress: apps?.address,
      drainMs: apps?.drainMs,
      drainApps: async () => apps?.drain(apps.drainMs ?? 0),
      sources: () => engine.catalog.sources(),
      servers: async () => (await engine.servers()).servers.list(),
      settled: (withinMs) => engine.settled(withinMs),
      close,
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await claim.release();
    throw error;
  }
}
