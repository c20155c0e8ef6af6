import { type CommandContext, requestedLogLevel } from "../cli/command-context.ts";
import { loadConfigOf } from "../cli/config-of.ts";
import { openHomeOf } from "../cli/open-home.ts";
import type { Config } from "../core/config/config-schema.ts";
import type { Home } from "../core/files/home.ts";
import { createCallMetrics } from "../core/telemetry/clawport-metrics.ts";
import { createMetrics } from "../core/telemetry/metrics.ts";
import { openTelemetry } from "../core/telemetry/open-telemetry.ts";
import type { Telemetry } from "../core/telemetry/telemetry.ts";
import { readVersion } from "../core/version.ts";
import { unknownServer } from "../sources/servers/definition.ts";
import { createClosers } from "./closers.ts";
import { followConfig, type FollowedConfig, placeOf } from "./follow-config.ts";
import { type GuardedCatalog, openGuardedCatalog } from "./open-guard.ts";
import { openSampler, openServers } from "./open-servers.ts";
import { requireTrust } from "./require-trust.ts";

/** The configured servers behind the guard, in a process that is no hub, for a door to serve. */
export interface Serving extends GuardedCatalog {
  readonly home: Home;
  readonly config: Config;
  readonly telemetry: Telemetry;
  /** Resolves when every server was tried once, or after the time. */
  settled(withinMs: number): Promise<void>;
  close(): Promise<void>;
}

export interface ServingOptions {
  readonly only: readonly string[] | undefined;
  readonly trust: boolean;
}

export async function openServing(context: CommandContext, { only, trust }: ServingOptions): Promise<Serving> {
  const { env, log, globals } = context;
  const home = await openHomeOf(context);
  const configuration = await loadConfigOf(context);
  const { config, file } = configuration;
  if (file !== undefined) await requireTrust(context, home, file, trust);
  const names = Object.keys(config.servers);
  const missing = only?.find((name) => !names.includes(name));
  if (missing !== undefined) throw unknownServer(missing, names);
  const level = requestedLogLevel(globals);
  log.change({ level: level ?? config.log.level, format: config.log.format });

  const closers = createClosers(log);
  try {
    const version = readVersion();
    const metrics = createMetrics();
    const telemetry = await openTelemetry({ env, version, metrics, log });
    closers.add("telemetry", () => telemetry.close());
    const { catalog, guard } = openGuardedCatalog({
      home,
      config,
      log,
      closers,
      metrics: createCallMetrics(metrics),
    });
    let following: FollowedConfig | undefined;
    const { control, manager } = await openServers({
      home,
      catalog,
      configuration,
      env,
      log,
      version,
      closers,
      metrics,
      only,
      place: placeOf(configuration, home),
      sample: openSampler({ config: config.agent, guard, env }),
      reload: async () => following?.reload(),
    });
    following = followConfig({
      home,
      configuration,
      env,
      log,
      level,
      guard,
      catalog,
      applyServers: (edited) => control.apply(edited),
    });
    closers.add("configuration", () => following?.close());
    return {
      home,
      config,
      telemetry,
      catalog,
      guard,
      settled: (withinMs) => manager.settled(withinMs),
      close: () => closers.closeAll(),
    };
  } catch (error) {
    await closers.closeAll();
    throw error;
  }
}
