import { hostname, networkInterfaces } from "node:os";
import { Fault, isFault } from "../../../core/fault.ts";
import { cancelPendingWrite } from "../../../core/files/write-when-room.ts";
import type { Log } from "../../../core/log.ts";
import type { Secret } from "../../../core/secrets/secret.ts";
import type { SharedUsage } from "../../../core/token-bucket.ts";
import { createMetrics, type Metrics } from "../../../core/telemetry/metrics.ts";
import { makeHubToken, readMainToken } from "../../../doors/mcp/main-token.ts";
import { openProxyDoor, type ProxyDoor, type ProxyDoorOptions } from "../../../doors/apps/proxy-door.ts";
import type { CountEvent } from "../../../sources/apps/app-event.ts";
import { type CallBus, createLocalBus } from "../../../sources/apps/call/call-bus.ts";
import { createMemoryBudget } from "../../../sources/apps/memory-budget.ts";
import { openSessionRegistry, type SessionRegistry } from "../../../sources/apps/session/session-registry.ts";
import { showApps } from "../../../sources/apps/show-apps.ts";
import type { SessionStore } from "../../../sources/apps/store/session-store.ts";
import type { EngineParts } from "../engine-parts.ts";
import { hubFiles } from "../../state/hub-files.ts";
import { hostNames } from "../listen-address.ts";
import { openSessionStore } from "./open-session-store.ts";
import { natsOptionsOf, openSharedApps } from "./open-shared-apps.ts";
import { parseProxySettings, type ProxySettings, requireTokens } from "./proxy-settings.ts";

/** The app proxy as `apps` configures it, with the tools of connected apps in the catalog if they are to be shown. */
export async function openConfiguredApps(parts: EngineParts): Promise<OpenedAppDoor> {
  const { home, catalog, log, closers, env } = parts;
  const { apps: config } = parts.config;
  const { port, show, prefix } = config;
  const given = parseProxySettings(env);
  const needsToken = show && !config.open && given.appToken === undefined;
  const tokenPath = needsToken ? hubFiles.appToken(home) : undefined;
  const settings = tokenPath === undefined ? given : { ...given, appToken: await ensureAppToken(tokenPath, log) };
  if (tokenPath !== undefined) closers.add("token of the apps", () => cancelPendingWrite(tokenPath));
  requireTokens(config, settings, log);
  // Before the door, whose conflict is about the port.
  const nats = natsOptionsOf(config.nats, env);
  const shared = nats && (await openSharedApps(nats, log));
  const store = shared === undefined ? await openSessionStore(home, log, "set apps.serve to false") : undefined;
  const places = shared ?? { openStore: () => Promise.resolve(store!) };
  if (shared !== undefined) closers.add("NATS", () => shared.close());
  const { sessions, door } = await openAppDoor(parts, { ...config, settings, ...places }).catch((error: unknown) => {
    if (!isFault(error, "conflict")) throw error;
    throw new Fault("config", `port ${port} is taken; set apps.port to another one, or to 0 for any free port`, {
      cause: error,
    });
  });
  if (show) closers.add("shown apps", showApps({ sessions, catalog, prefix }));
  return { sessions, door: { ...door, tokenPath, drainMs: shared && (config.nats?.drain ?? 25) * 1000 } };
}

/** Tools that are shown reach every client of the hub: not every user of this computer may offer them. */
async function ensureAppToken(path: string, log: Log): Promise<Secret> {
  const token = readMainToken(path, log) ?? (await makeHubToken(path, "apps can be given their token", log));
  log.info("apps connect with the token in a file; give it to them as OPENCLAW_PROXY_APP_TOKEN", { path });
  return token;
}

type OwnOptions = "sessions" | "count" | "budget" | "info" | "idleMs" | "guard" | "metrics" | "log" | "sharedUsage";

export interface AppDoorOptions extends Omit<ProxyDoorOptions, OwnOptions | keyof ProxySettings> {
  readonly settings: ProxySettings;
  readonly openStore: () => Promise<SessionStore>;
  /** The bus to other instances; without one, this process is the only one. */
  readonly openBus?: (() => Promise<CallBus & { readonly usage?: SharedUsage }>) | undefined;
  /** Why this instance can't serve apps right now; undefined if it can. */
  readonly problem?: (() => string | undefined) | undefined;
  readonly watchBus?: ((metrics: Metrics) => () => void) | undefined;
  /** Bytes that all apps and their clients together may make us hold. */
  readonly maxHeld?: number | undefined;
  readonly allowedHosts: readonly string[];
}

export interface OpenedAppDoor {
  readonly sessions: SessionRegistry;
  readonly door: AppDoor;
}

export interface AppDoor extends ProxyDoor {
  /** The file with the token that the hub made for apps; undefined if it made none. */
  readonly tokenPath?: string | undefined;
  /** How long to drain before it is closed; undefined if there are no other instances that could take the apps. */
  readonly drainMs?: number | undefined;
}

/** The sessions of apps and the door they and their clients come through. */
export async function openAppDoor(parts: EngineParts, options: AppDoorOptions): Promise<OpenedAppDoor> {
  const { metrics = createMetrics(), guard, log, closers, version } = parts;
  const { settings, host } = options;
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
  const budget = createMemoryBudget(options.maxHeld);
  const bus: CallBus & { readonly usage?: SharedUsage } = (await options.openBus?.()) ?? createLocalBus();
  closers.add("bus", () => bus[Symbol.asyncDispose]());
  const stopWatching = options.watchBus?.(metrics);
  if (stopWatching !== undefined) closers.add("metrics of the bus", stopWatching);
  const sessions = await openSessionRegistry({ store, bus, ttlMs, timeoutMs, graceMs, budget, count, log });
  const door = await openProxyDoor({
    ...options,
    ...settings,
    guard,
    metrics,
    log,
    allowedHosts: [...options.allowedHosts, ...hostNames(host, hostname(), networkInterfaces())],
    sharedUsage: bus.usage,
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
