import { hostname, networkInterfaces } from "node:os";
import { openProxyDoor, type ProxyDoor, type ProxyDoorOptions } from "../doors/apps/proxy-door.ts";
import type { CountEvent } from "../sources/apps/app-event.ts";
import { createLocalBus } from "../sources/apps/local-bus.ts";
import { createMemoryBudget } from "../sources/apps/memory-budget.ts";
import type { SessionStore } from "../sources/apps/session-store.ts";
import { openSessions, type Sessions } from "../sources/apps/sessions.ts";
import type { Closers } from "./closers.ts";
import { hostNames } from "./listen-address.ts";
import type { ProxySettings } from "./proxy-settings.ts";

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
  readonly sessions: Sessions;
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
  const sessions = await openSessions({ store, bus, ttlMs, timeoutMs, graceMs, budget, count, log });
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
