import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { type ConfigProblem, formatProblemAt } from "../../core/config/config-problem.ts";
import type { Config } from "../../core/config/config-schema.ts";
import { configName, defaultConfig, findConfig, type FoundConfig } from "../../core/config/find-config.ts";
import type { LoadedConfig } from "../../core/config/load-config.ts";
import { mergeConfigs } from "../../core/config/merge-config.ts";
import type { Home } from "../../core/files/home.ts";
import type { World } from "../../core/process/world.ts";
import type { Host } from "./host.ts";
import { loadNamedConfig } from "./load-named-config.ts";
import { homePath } from "./open-home.ts";

/** The active configuration, and the file it came from if there is one. */
export interface ActiveConfig {
  /** In a folder with a configuration of its own: that one, as far as the owner's lets it. */
  readonly config: Config;
  /** As it is written, before the owner's is merged in. */
  readonly file?: FoundConfig & LoadedConfig;
  /** The owner's configuration, if another one is merged with it. */
  readonly owner?: LoadedConfig | undefined;
  /** What the folder's configuration, or that of another program, says without effect. */
  readonly ignored?: readonly ConfigProblem[];
}

export function findConfigOf(host: Pick<Host, "globals" | "env" | "homedir" | "cwd">): FoundConfig | undefined {
  return findConfig({ flag: host.globals.config, cwd: host.cwd, home: homePath(host) });
}

/** Without a file the defaults are active. Warns of servers that are off because a variable is not set, and the like. */
export async function loadConfigOf(host: Host): Promise<ActiveConfig> {
  const active = await readConfigOf(host);
  const { file, ignored = [] } = active;
  for (const { path, message } of file?.waiting ?? []) host.log.warn(`${path} ${message}: ${isOff}`);
  for (const problem of ignored) host.log.warn(formatProblemAt(file?.path ?? "", problem));
  return active;
}

/** The same without warnings, for callers that report such servers themselves. */
export async function readConfigOf(host: Pick<Host, "globals" | "env" | "homedir" | "cwd">): Promise<ActiveConfig> {
  const found = findConfigOf(host);
  if (found === undefined) return { config: defaultConfig };
  return loadFound(found, join(homePath(host), configName), host.env);
}

/** What the file at this place says now; the defaults if it does not exist. */
export async function readConfigAt(
  place: FoundConfig,
  home: Pick<Home, "file">,
  env: World["env"],
): Promise<ActiveConfig> {
  return existsSync(place.path) ? loadFound(place, home.file(configName), env) : { config: defaultConfig };
}

/** Only the owner's configuration counts: one that comes with a folder must not lift a question. */
export async function allowsUnattendedApprovals(
  active: FoundConfig | undefined,
  home: Pick<Home, "file">,
  env: World["env"],
): Promise<boolean> {
  const own: FoundConfig = { path: home.file(configName), location: "state-folder" };
  const { config } = await readConfigAt(active?.location === "flag" ? active : own, home, env);
  return config.policy?.unattendedApprovals === true;
}

async function loadFound(found: FoundConfig, ownerPath: string, env: World["env"]): Promise<ActiveConfig> {
  const { ignored, ...loaded } = await loadNamedConfig(
    { path: found.path, home: dirname(ownerPath), env },
    found.location,
  );
  const file = { ...found, ...loaded };
  if (ignored !== undefined) return { config: file.config, file, ignored };
  const isOwnersWord = found.location !== "working-folder";
  return activate(
    file,
    isOwnersWord || !existsSync(ownerPath)
      ? undefined
      : await loadNamedConfig({ path: ownerPath, home: dirname(ownerPath), env }, "state-folder"),
  );
}

/** A configuration that comes with a folder is merged with the owner's, or with the defaults if the owner has none. */
export async function activate(
  file: NonNullable<ActiveConfig["file"]>,
  owner: LoadedConfig | undefined,
): Promise<ActiveConfig> {
  if (file.location !== "working-folder") return { config: file.config, file };
  const merged = mergeConfigs(owner?.config ?? defaultConfig, file.config);
  const { locateFindings } = await import("../../core/config/parse-config.ts");
  const ignored = locateFindings(file.raw, merged.ignored);
  return { config: merged.config, file: { ...file, warnings: [...file.warnings, ...ignored] }, owner, ignored };
}

/** What an unset variable means for its server. */
export const isOff = "that server is off until it is";
