import { readVersion } from "../core/version.ts";
import type { HostPlace } from "./hosts.ts";
import type { ActiveConfig } from "./state/active-config.ts";
import type { Host } from "./state/host.ts";
import { openHomeOf } from "./state/open-home.ts";
import { loadTrustedConfigOf } from "./state/require-trust.ts";

/** The state folder and the trusted configuration that a command runs with. Its log is as the configuration says. */
export async function openPlace(
  host: Host,
  trust: boolean,
): Promise<HostPlace & { readonly configuration: ActiveConfig }> {
  const { env, homedir, log, logLevel } = host;
  const home = await openHomeOf(host);
  const configuration = await loadTrustedConfigOf(host, home, trust);
  const { level, format } = configuration.config.log;
  log.change({ level: logLevel ?? level, format });
  return { home, configuration, env, homedir, log, logLevel, version: readVersion() };
}
