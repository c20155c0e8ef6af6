import type { Config } from "../core/config/config-schema.ts";
import { defaultConfig, findConfig, type FoundConfig } from "../core/config/find-config.ts";
import { loadConfig, type LoadedConfig } from "../core/config/load-config.ts";
import type { CommandContext } from "./command-context.ts";
import { homePath } from "./open-home.ts";

/** The configuration in force, and the file it came from where there is one. */
export interface ActiveConfig {
  readonly config: Config;
  readonly file?: FoundConfig & LoadedConfig;
}

export function findConfigOf(context: CommandContext): FoundConfig | undefined {
  return findConfig({ flag: context.globals.config, cwd: context.cwd, home: homePath(context) });
}

/** Nothing has to be configured: without a file the defaults hold. Servers that wait for a variable are warned of. */
export async function loadConfigOf(context: CommandContext): Promise<ActiveConfig> {
  const inForce = await readConfigOf(context);
  for (const { path, message } of inForce.file?.waiting ?? []) context.log.warn(`${path} ${message}: ${isOff}`);
  return inForce;
}

/** The same without a warning, for those who tell of the servers that wait themselves. */
export async function readConfigOf(context: CommandContext): Promise<ActiveConfig> {
  const found = findConfigOf(context);
  if (found === undefined) return { config: defaultConfig };
  const loaded = await loadConfig({ path: found.path, env: context.env });
  return { config: loaded.config, file: { ...found, ...loaded } };
}

/** What comes of a variable that is not set. */
export const isOff = "that server is off until it is";
