import { defaultConfig } from "../core/config/default-config.ts";
import type { FoundConfig } from "../core/config/find-config.ts";
import { findConfig } from "../core/config/find-config.ts";
import type { LoadedConfig } from "../core/config/load-config.ts";
import { loadConfig } from "../core/config/load-config.ts";
import type { Config } from "../core/config/schema.ts";
import type { CommandContext } from "./command-context.ts";
import { homePath } from "./open-home.ts";

/** The configuration in force, and the file it came from where there is one. */
export interface ConfigInForce {
  readonly config: Config;
  readonly file?: FoundConfig & LoadedConfig;
}

export function findConfigOf(context: CommandContext): FoundConfig | undefined {
  return findConfig({ flag: context.globals.config, cwd: context.cwd, home: homePath(context) });
}

/** Nothing has to be configured: without a file the defaults hold. */
export async function loadConfigOf(context: CommandContext, strict = false): Promise<ConfigInForce> {
  const found = findConfigOf(context);
  if (found === undefined) return { config: defaultConfig };
  const loaded = await loadConfig({ path: found.path, env: context.env, strict });
  for (const { path, message } of loaded.waiting) context.log.warn(`${path} ${message}: that server is off`);
  return { config: loaded.config, file: { ...found, ...loaded } };
}
