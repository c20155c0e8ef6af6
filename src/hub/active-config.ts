import { existsSync } from "node:fs";
import type { Config } from "../core/config/config-schema.ts";
import { configName, defaultConfig, findConfig, type FoundConfig } from "../core/config/find-config.ts";
import { loadConfig, type LoadedConfig } from "../core/config/load-config.ts";
import type { Home } from "../core/files/home.ts";
import type { World } from "../core/process/world.ts";
import type { Host } from "./host.ts";
import { homePath } from "./open-home.ts";

/** The active configuration, and the file it came from if there is one. */
export interface ActiveConfig {
  readonly config: Config;
  readonly file?: FoundConfig & LoadedConfig;
}

export function findConfigOf(host: Pick<Host, "globals" | "env" | "homedir" | "cwd">): FoundConfig | undefined {
  return findConfig({ flag: host.globals.config, cwd: host.cwd, home: homePath(host) });
}

/** Without a file the defaults are active. Warns of servers that are off because a variable is not set. */
export async function loadConfigOf(host: Host): Promise<ActiveConfig> {
  const active = await readConfigOf(host);
  for (const { path, message } of active.file?.waiting ?? []) host.log.warn(`${path} ${message}: ${isOff}`);
  return active;
}

/** The same without warnings, for callers that report such servers themselves. */
export async function readConfigOf(host: Pick<Host, "globals" | "env" | "homedir" | "cwd">): Promise<ActiveConfig> {
  const found = findConfigOf(host);
  return found === undefined ? { config: defaultConfig } : loadFound(found, host.env);
}

/** What the file at this place says now; the defaults if it does not exist. */
export async function readConfigAt(place: FoundConfig, env: World["env"]): Promise<ActiveConfig> {
  return existsSync(place.path) ? loadFound(place, env) : { config: defaultConfig };
}

/** Only the owner's configuration counts: one that comes with a folder must not lift a question. */
export async function allowsUnattendedApprovals(
  active: FoundConfig | undefined,
  home: Pick<Home, "file">,
  env: World["env"],
): Promise<boolean> {
  const own: FoundConfig = { path: home.file(configName), location: "state-folder" };
  const { config } = await readConfigAt(active?.location === "flag" ? active : own, env);
  return config.policy?.unattendedApprovals === true;
}

async function loadFound(found: FoundConfig, env: World["env"]): Promise<ActiveConfig> {
  const loaded = await loadConfig({ path: found.path, env });
  return { config: loaded.config, file: { ...found, ...loaded } };
}

/** What an unset variable means for its server. */
export const isOff = "that server is off until it is";
