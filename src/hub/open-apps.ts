import { hostname, networkInterfaces } from "node:os";
import type { Catalog } from "../catalog/catalog.ts";
import type { Guard } from "../catalog/guard/guard.ts";
import type { Config } from "../core/config/config-schema.ts";
import { Fault, isFault } from "../core/fault.ts";
import type { Home } from "../core/files/home.ts";
import type { Log } from "../core/log.ts";
import type { World } from "../core/process/world.ts";
import type { Metrics } from "../core/telemetry/metrics.ts";
import { openProxyDoor, type ProxyDoor, type ProxyDoorOptions } from "../doors/apps/proxy-door.ts";
import type { CountEvent } from "../sources/apps/app-event.ts";
import { createLocalBus } from "../sources/apps/call/call-bus.ts";
import { createMemoryBudget } from "../sources/apps/memory-budget.ts";
import { openSessionRegistry, type SessionRegistry } from "../sources/apps/session/session-registry.ts";
import { showApps } from "../sources/apps/show-apps.ts";
import type { SessionStore } from "../sources/apps/store/session-store.ts";
import type { Closers } from "./closers.ts";
import { hostNames } from "./listen-address.ts";
import { openSessionStore } from "./open-session-store.ts";
import { parseProxySettings, type ProxySettings, requireTokens } from "./proxy-settings.ts";

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
  const { config, home, catalog, log, closers } = options;
  const { port, show, prefix } = config;
  const settings = parseProxySettings(options.env);
  requireTokens(config, settings, log);
  // Before the door, whose conflict is one about the port.
  const store = await openSessionStore(home, log, "set apps.serve to false");
  const openStore = () => Promise.resolve(store);
  const { sessions, door } = await openAppDoor({ ...options, ...config, settings, openStore }).catch(
    (error: unknown) => {
      if (!isFault(error, "conflict")) throw error;
      throw new Fault("config", `port ${port} is taken; set apps.port to another, or to 0 for any`, {
        cause: error,
      });
    },
  );
  if (show) closers.add("shown apps", showApps({ sessions, catalog, prefix }));
  return door;
}

type Own = "sessions" | "count" | "budget" | "info" | "idleMs";

export interface AppDoorOptions extends Omit<ProxyDoorOptions, Own | keyof ProxySettings> {
  readonly settings: ProxySettings;
  readonly openStore: () => Promise<SessionStore>;
  /** Bytes that all apps and their clients together may make us hold. */
  readonly mostHeld?: number | undefined;
  readonly allowedHosts: readonly string[];
  readonly version: string;
  readonly closers: Closers;
}

export interface OpenedAppDoor {
  readonly sessions: SessionRegistry;
  readonly door: ProxyDoor;
}

/** The sessions of apps and the door they and their clients come through. */
export async function openAppDoor(options: AppDoorOptions): Promise<OpenedAppDoor> {
  const { settings, metrics, log, closers, host, version } = options;
  const { ttlMs, timeoutMs, graceMs } = settings;
  const events = metrics.counter({
    name: "clawport_app_events_total",
    help: "What happened to app sessions, bridges and calls.",
    labels: ["event"],
  });
  const count: CountEvent = (event) => {
    events.inc({ event });
    log.debug(event);
  };
  const store = await options.openStore();
  closers.add("sessions", () => store[Symbol.asyncDispose]());
  const budget = createMemoryBudget(options.mostHeld);
  const bus = createLocalBus();
  const sessions = await openSessionRegistry({ store, bus, ttlMs, timeoutMs, graceMs, budget, count, log });
  const door = await openProxyDoor({
    ...options,
    ...settings,
    allowedHosts: [...options.allowedHosts, ...hostNames(host, hostname(), networkInterfaces())],
    sessions,
    count,
    budget,
    info: { name: "clawport", title: "Clawport", version },
    // Longer than any call may take.
    idleMs: Math.max(300_000, timeoutMs + 60_000),
  });
  closers.add("apps", () => door.close());
  return { sessions, door };
}
