import { isTelemetryWanted } from "../core/telemetry/open-telemetry.ts";
import { readVersion } from "../core/version.ts";
import type { SurfaceSetting } from "../doors/mcp/surface/choose-surface.ts";
import { unknownServer } from "../sources/servers/definition.ts";
import { watchedConfigFile } from "./engine/config-source.ts";
import { type Engine, openEngine } from "./engine/engine.ts";
import type { Host } from "./host.ts";
import { openHomeOf } from "./open-home.ts";
import { loadTrustedConfigOf } from "./require-trust.ts";

export interface ServingOptions {
  /** These servers alone. */
  readonly only: readonly string[] | undefined;
  readonly trust: boolean;
  /** Serves HTTP at this port, or at the configured one; without it the host serves stdio from the engine's catalog. */
  readonly http?: { readonly port: number | undefined; readonly surface: SurfaceSetting | undefined };
}

/** The engine with the configured servers, in a process that is not the hub. */
export async function openServing(host: Host, { only, trust, http }: ServingOptions): Promise<Engine> {
  const { env, homedir, log } = host;
  const home = await openHomeOf(host);
  const configuration = await loadTrustedConfigOf(host, home, trust);
  const { config } = configuration;
  const names = Object.keys(config.servers);
  const missing = only?.find((name) => !names.includes(name));
  if (missing !== undefined) throw unknownServer(missing, names);
  log.change({ level: host.logLevel ?? config.log.level, format: config.log.format });
  return openEngine({
    home,
    configuration: watchedConfigFile({ home, configuration, env, log }),
    env,
    homedir,
    log,
    version: readVersion(),
    logLevel: host.logLevel,
    // Over stdio no one can read the metrics, unless they are exported.
    observed: http !== undefined || isTelemetryWanted(env),
    keepsResults: true,
    sources: { servers: { start: "at-once", only } },
    doors: http === undefined ? {} : { http: { host: "127.0.0.1", ...http } },
  });
}
