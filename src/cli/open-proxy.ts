import { hostname, networkInterfaces } from "node:os";
import { type Audit, openAudit } from "../catalog/audit.ts";
import { openApprovals } from "../catalog/guard/approvals.ts";
import { createAskers } from "../catalog/guard/askers.ts";
import { createGuard } from "../catalog/guard/guard.ts";
import type { Pins } from "../catalog/guard/pins.ts";
import type { Config } from "../core/config/schema.ts";
import type { Home } from "../core/home.ts";
import type { Log } from "../core/log.ts";
import { createCallMetrics } from "../core/metrics/call-metrics.ts";
import { watchProcess } from "../core/metrics/process-metrics.ts";
import { createMetrics } from "../core/metrics.ts";
import { openProxyDoor, type ProxyDoorOptions } from "../doors/apps/proxy-door.ts";
import { createClosers } from "./closers.ts";
import { hubFiles } from "./hub-files.ts";
import { hostNames } from "./listen-address.ts";
import { type AppSessionsOptions, openAppSessions } from "./open-app-sessions.ts";
import type { ProxySettings } from "./proxy-settings.ts";

type Door = Pick<
  ProxyDoorOptions,
  | "host"
  | "port"
  | "publicUrl"
  | "allowedOrigins"
  | "trustForwarded"
  | "requestsPerSecond"
  | "tokenRequestsPerSecond"
  | "sessionsPerSecond"
  | "heartbeatMs"
>;

export interface ProxyOptions extends Door, Pick<AppSessionsOptions, "openStore" | "mostHeld"> {
  readonly home: Home;
  readonly config: Config;
  readonly settings: ProxySettings;
  readonly allowedHosts: readonly string[];
  readonly version: string;
  readonly log: Log;
}

export interface Proxy {
  readonly address: string;
  readonly port: number;
  close(): Promise<void>;
}

/** Puts the parts of the app proxy together. */
export async function openProxy(options: ProxyOptions): Promise<Proxy> {
  const { home, config, settings, log, host } = options;
  const closers = createClosers(log);
  try {
    const metrics = createMetrics();
    const processMetrics = watchProcess(metrics);
    closers.add("process metrics", () => processMetrics[Symbol.dispose]());
    const { maxBytes, keep, enabled } = config.audit;
    const audit: Audit = enabled ? openAudit({ file: hubFiles.audit(home), maxBytes, keep, log }) : noAudit;
    closers.add("audit", () => audit.close());
    const guard = createGuard({
      policy: config.policy ?? {},
      approvals: openApprovals({ file: hubFiles.approvals(home), log }),
      pins: noPins,
      askers: createAskers(),
      audit,
      metrics: createCallMetrics(metrics),
      log,
    });
    const { sessions, budget, count } = await openAppSessions({ ...options, metrics, closers });
    const door = await openProxyDoor({
      ...options,
      ...settings,
      sessions,
      guard,
      info: { name: "clawport", title: "Clawport", version: options.version },
      count,
      metrics,
      budget,
      allowedHosts: [...options.allowedHosts, ...hostNames(host, hostname(), networkInterfaces())],
      idleMs: Math.max(300_000, settings.timeoutMs + 60_000),
    });
    closers.add("door", () => door.close());
    return { address: door.address, port: door.port, close: () => closers.closeAll() };
  } catch (error) {
    await closers.closeAll();
    throw error;
  }
}

const noAudit: Audit = { record: () => {}, close: () => Promise.resolve() };

/** The tools of a session are its app's to change, and no session comes back under its name: there is nothing to pin. */
const noPins: Pins = {
  isFine: () => true,
  check: () => Promise.resolve(undefined),
  use: () => {},
  list: () => Promise.resolve([]),
  accept: () => Promise.resolve([]),
  close: () => Promise.resolve(),
};
