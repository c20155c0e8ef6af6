import { homedir, hostname, networkInterfaces } from "node:os";
import type { Asker } from "../catalog/guard/askers.ts";
import type { Source } from "../catalog/source.ts";
import type { ActiveConfig } from "../cli/config-of.ts";
import type { Home } from "../core/files/home.ts";
import { isLoopbackHost } from "../core/http/addresses.ts";
import type { LiveLog } from "../core/live-log.ts";
import type { LogLevel } from "../core/log.ts";
import type { World } from "../core/process/world.ts";
import { createCallMetrics } from "../core/telemetry/clawport-metrics.ts";
import { createMetrics } from "../core/telemetry/metrics.ts";
import { openTelemetry } from "../core/telemetry/open-telemetry.ts";
import { watchProcess } from "../core/telemetry/process-metrics.ts";
import type { ProxyDoor } from "../doors/apps/proxy-door.ts";
import { openTokens } from "../doors/mcp/tokens.ts";
import { nestedOrderEnv } from "../sources/agent/order/order-depth.ts";
import { publicDocuments } from "../sources/servers/oauth/registration/client-document.ts";
import { createClosers } from "./closers.ts";
import { createControlApi } from "./control/control-api.ts";
import { followConfig, type FollowedConfig, placeOf } from "./follow-config.ts";
import { claimHub, type HubRecord, removeHubRecord, writeHubRecord } from "./hub-record.ts";
import { hostNames, reachableHost, requireRemoteConsent } from "./listen-address.ts";
import { openAgent } from "./open-agent.ts";
import { openDoor } from "./open-door.ts";
import { openGuardedCatalog } from "./open-guard.ts";
import { openSampler, openServers } from "./open-servers.ts";
import { uploadLimits } from "./upload-limits.ts";
import { createMcpCommand } from "./verbs/mcp-command.ts";

export interface HubOptions {
  readonly home: Home;
  readonly configuration: ActiveConfig;
  readonly env: World["env"];
  readonly log: LiveLog;
  readonly version: string;
  /** These go before what the configuration says. */
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  readonly allowRemote?: boolean | undefined;
  readonly level?: LogLevel | undefined;
  /** In the catalog before all others. The hub closes them, after the door and the servers. */
  readonly sources?: readonly Source[];
  readonly askers?: readonly Asker[];
}

/** A running hub: sources, catalog, guard and the HTTP door, under one home. */
export interface Hub extends AsyncDisposable {
  /** Where MCP clients connect: `http://127.0.0.1:8765/mcp`. */
  readonly url: string;
  readonly port: number;
  /** The port that was wanted; another one was taken when a stranger held it. */
  readonly wantedPort: number;
  readonly tokenPath: string;
  /** The names under which other machines reach it; none while it is closed to them. */
  readonly remoteNames: readonly string[];
  readonly record: HubRecord;
  /** Where apps connect, where the hub is their proxy, too: `http://127.0.0.1:8000`. */
  readonly appsAddress: string | undefined;
  sources(): readonly Source[];
  /** Resolves when every server was tried once, or after the time. */
  settled(withinMs: number): Promise<void>;
  /** Lets what is being served finish, then closes everything. */
  close(): Promise<void>;
}

/** Puts the parts together. Faults with `conflict` where a hub of this home runs already. */
export async function openHub(options: HubOptions): Promise<Hub> {
  const { home, configuration, env, log, version } = options;
  const { config } = configuration;
  const host = options.host ?? config.hub.host;
  const wantedPort = options.port ?? config.hub.port;
  requireRemoteConsent({ host, allowRemote: options.allowRemote ?? config.hub.allowRemote });

  const closers = createClosers(log);
  try {
    const claim = await claimHub(home, log);
    closers.add("claim", claim.release);
    const metrics = createMetrics();
    const processMetrics = watchProcess(metrics);
    closers.add("process metrics", () => processMetrics[Symbol.dispose]());
    const telemetry = await openTelemetry({ env, version, metrics, log });
    closers.add("telemetry", () => telemetry.close());

    const callMetrics = createCallMetrics(metrics);
    const { catalog, guard } = openGuardedCatalog({
      home,
      config,
      log,
      closers,
      askers: options.askers,
      metrics: callMetrics,
    });
    for (const source of options.sources ?? []) {
      catalog.add(source);
      closers.add(`source ${source.id}`, () => source.close());
    }

    let following: FollowedConfig | undefined;
    const { control, manager } = await openServers({
      home,
      catalog,
      configuration,
      env: nestedOrderEnv(env),
      log,
      version,
      closers,
      metrics,
      place: placeOf(configuration, home),
      sample: openSampler({ config: config.agent, guard, env }),
      reload: async () => following?.reload(),
    });

    const caller = { door: "console", agent: "clawport" } as const;
    openAgent({
      catalog,
      guard,
      home,
      config: config.agent,
      world: { env, homedir: homedir() },
      flags: {},
      log,
      closers,
      caller,
      mcp: createMcpCommand(() => Promise.resolve(control)),
    });

    const apps = await openApps();
    const tokens = await openTokens({ home, env, log });
    closers.add("tokens", () => tokens.close());
    const names = hostNames(host, hostname(), networkInterfaces());
    const door = await openDoor({
      host,
      port: wantedPort,
      catalog,
      guard,
      tokens,
      info: { name: "clawport", title: "Clawport", version },
      log,
      metrics,
      telemetry,
      maxConcurrent: config.hub.maxConcurrent,
      maxBodyBytes: config.hub.maxBodyBytes,
      largeBodies: { source: "agent", ...uploadLimits(home.path) },
      allowedHosts: names,
      control: createControlApi(control),
      publicDocuments: publicDocuments(config.hub.publicUrl),
    });
    const address = `http://${reachableHost(host)}:${door.port}`;
    const record = await writeHubRecord(home, { address, version, startedAt: new Date().toISOString() });
    closers.add("record", () => removeHubRecord(home));
    closers.add("door", () => door.close());
    following = followConfig({ ...options, guard, catalog, applyServers: (edited) => control.apply(edited) });
    closers.add("configuration", () => following?.close());

    /** Loaded only where it is wanted: it is a door of its own. */
    async function openApps(): Promise<ProxyDoor | undefined> {
      if (!config.apps.serve) return undefined;
      const { openHubApps } = await import("./open-apps.ts");
      return openHubApps({ ...options, config: config.apps, catalog, guard, metrics, closers });
    }

    const close = (): Promise<void> => closers.closeAll();
    return {
      url: `${address}/mcp`,
      port: door.port,
      wantedPort,
      tokenPath: tokens.path,
      remoteNames: isLoopbackHost(host) ? [] : names,
      record,
      appsAddress: apps?.address,
      sources: () => catalog.sources(),
      settled: (withinMs) => manager.settled(withinMs),
      close,
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await closers.closeAll();
    throw error;
  }
}
