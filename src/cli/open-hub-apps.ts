import { hostname, networkInterfaces } from "node:os";
import type { Catalog } from "../catalog/catalog.ts";
import type { Guard } from "../catalog/guard/guard.ts";
import type { Config } from "../core/config/schema.ts";
import { Fault, isFault } from "../core/fault.ts";
import type { Home } from "../core/home.ts";
import type { Log } from "../core/log.ts";
import type { Metrics } from "../core/metrics.ts";
import { openProxyDoor, type ProxyDoor } from "../doors/apps/proxy-door.ts";
import { showApps } from "../sources/apps/show-apps.ts";
import type { Closers } from "./closers.ts";
import { hostNames } from "./listen-address.ts";
import { openAppSessions } from "./open-app-sessions.ts";
import { openSessionStore } from "./open-session-store.ts";
import { parseProxySettings, requireTokens } from "./proxy-settings.ts";
import type { World } from "./world.ts";

export interface HubAppsOptions {
  readonly config: Config["apps"];
  readonly home: Home;
  readonly env: World["env"];
  readonly catalog: Catalog;
  readonly guard: Guard;
  readonly metrics: Metrics;
  readonly version: string;
  readonly log: Log;
  readonly closers: Closers;
}

/** The app proxy as part of the hub, under its guard. */
export async function openHubApps(options: HubAppsOptions): Promise<ProxyDoor> {
  const { config, home, env, catalog, guard, metrics, version, log, closers } = options;
  const { host, port, publicUrl, allowedOrigins, allowedHosts, show, prefix } = config;
  const settings = parseProxySettings(env);
  requireTokens(config, settings, log);
  const openStore = () => openSessionStore(home, log);
  const { sessions, budget, count } = await openAppSessions({ settings, openStore, metrics, log, closers });
  if (show) closers.add("shown apps", showApps({ sessions, catalog, prefix }));
  const door = await openProxyDoor({
    ...settings,
    host,
    port,
    publicUrl,
    allowedOrigins,
    allowedHosts: [...allowedHosts, ...hostNames(host, hostname(), networkInterfaces())],
    idleMs: Math.max(300_000, settings.timeoutMs + 60_000),
    sessions,
    guard,
    info: { name: "clawport", title: "Clawport", version },
    log,
    count,
    metrics,
    budget,
  }).catch((error: unknown) => {
    if (!isFault(error, "conflict")) throw error;
    throw new Fault("config", `port ${port} is taken; set apps.port to another, or to 0 for any`, { cause: error });
  });
  closers.add("apps", () => door.close());
  return door;
}
