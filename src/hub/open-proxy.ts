import type { Config } from "../core/config/config-schema.ts";
import type { Home } from "../core/files/home.ts";
import { createCallMetrics } from "../core/telemetry/clawport-metrics.ts";
import { createMetrics } from "../core/telemetry/metrics.ts";
import { watchProcess } from "../core/telemetry/process-metrics.ts";
import { createClosers } from "./closers.ts";
import { type AppDoorOptions, openAppDoor } from "./open-apps.ts";
import { openGuard } from "./open-guard.ts";

export interface ProxyOptions extends Omit<AppDoorOptions, "guard" | "metrics" | "closers"> {
  readonly home: Home;
  readonly config: Config;
}

export interface Proxy {
  readonly address: string;
  readonly port: number;
  close(): Promise<void>;
}

/** Puts the parts of the app proxy together. */
export async function openProxy(options: ProxyOptions): Promise<Proxy> {
  const { home, config, log } = options;
  const closers = createClosers(log);
  try {
    const metrics = createMetrics();
    const processMetrics = watchProcess(metrics);
    closers.add("process metrics", () => processMetrics[Symbol.dispose]());
    const guard = openGuard({ home, config, log, closers, metrics: createCallMetrics(metrics) });
    const { door } = await openAppDoor({ ...options, guard, metrics, closers });
    return { address: door.address, port: door.port, close: () => closers.closeAll() };
  } catch (error) {
    await closers.closeAll();
    throw error;
  }
}
