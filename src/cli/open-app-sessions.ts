import type { Log } from "../core/log.ts";
import type { Metrics } from "../core/metrics.ts";
import type { CountEvent } from "../sources/apps/app-event.ts";
import { createLocalBus } from "../sources/apps/local-bus.ts";
import { createMemoryBudget, type MemoryBudget } from "../sources/apps/memory-budget.ts";
import type { SessionStore } from "../sources/apps/session-store.ts";
import { openSessions, type Sessions } from "../sources/apps/sessions.ts";
import type { Closers } from "./closers.ts";
import type { ProxySettings } from "./proxy-settings.ts";

export interface AppSessionsOptions {
  readonly settings: Pick<ProxySettings, "ttlMs" | "timeoutMs" | "graceMs">;
  readonly openStore: () => Promise<SessionStore>;
  /** Bytes that all apps and their clients together may make us hold. */
  readonly mostHeld?: number | undefined;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly closers: Closers;
}

export interface OpenedAppSessions {
  readonly sessions: Sessions;
  readonly budget: MemoryBudget;
  readonly count: CountEvent;
}

/** The sessions of apps, with what they and their door count and measure by. */
export async function openAppSessions(options: AppSessionsOptions): Promise<OpenedAppSessions> {
  const { settings, metrics, log, closers } = options;
  const events = metrics.counter({
    name: "clawport_app_events_total",
    help: "What happened to app sessions, bridges and calls.",
    labels: ["event"],
  });
  const count: CountEvent = (event) => events.inc({ event });
  const store = await options.openStore();
  closers.add("sessions", () => store[Symbol.asyncDispose]());
  const budget = createMemoryBudget(options.mostHeld);
  const { ttlMs, timeoutMs, graceMs } = settings;
  const bus = createLocalBus();
  return { sessions: await openSessions({ store, bus, ttlMs, timeoutMs, graceMs, budget, count, log }), budget, count };
}
