import { join } from "node:path";
import type { ConfigProblem } from "../../core/config/config-problem.ts";
import type { ConfigLocation } from "../../core/config/find-config.ts";
import { type ConfigFile, loadConfig, type LoadedConfig, readConfigText } from "../../core/config/load-config.ts";
import { requireOwnWriters } from "../../core/config/trust/judge-writers.ts";
import { Fault } from "../../core/fault.ts";

export interface NamedConfig extends LoadedConfig {
  /** What the file of another program says without effect here. */
  readonly ignored?: readonly ConfigProblem[];
}

export interface NamedConfigFile extends Omit<ConfigFile, "resolve"> {
  /** The state folder, where secrets are kept. Without it they are not looked up: the text is only checked. */
  readonly home?: string;
}

/** What looks up secrets is loaded when a configuration refers to one. A folder's can't run commands for that. */
function resolverFor({ home, env }: NamedConfigFile, location: ConfigLocation): ConfigFile["resolve"] {
  if (home === undefined) return undefined;
  return async (references) => {
    const { resolveSecrets } = await import("../../sources/servers/secrets/resolve-secrets.ts");
    return resolveSecrets(references, { home, env, mayRunCommands: location !== "working-folder" });
  };
}

/**
 * What comes with a folder is read twice if it refers to secrets: they are looked up for the very text that the user has
 * trusted. Until then nothing is, since that can ask 1Password and tell which files exist.
 */
async function loadFolderConfig(file: ConfigFile, home: string | undefined): Promise<LoadedConfig> {
  const { resolve, ...written } = file;
  const loaded = await loadConfig(written);
  if (home === undefined || resolve === undefined || (loaded.references ?? []).length === 0) return loaded;
  const { findTrustProblem } = await import("./find-doubt.ts");
  const place = { ...loaded, location: "working-folder" as const };
  const distrust = await findTrustProblem({ file: (...parts) => join(home, ...parts) }, place);
  if (distrust === undefined) return loadConfig({ ...file, text: loaded.raw });
  // Commands are refused without running any.
  const refuse: ConfigFile["resolve"] = (references) => resolve(references.filter((name) => name.startsWith("cmd:")));
  return { ...(await loadConfig({ ...written, text: loaded.raw, resolve: refuse })), isWithheld: true };
}

/** Loads our own configuration or, if the user named it with `--config`, that of another program. */
export async function loadNamedConfig(named: NamedConfigFile, location: ConfigLocation): Promise<NamedConfig> {
  const { path, env, text } = named;
  const file = { path, env, ...(text !== undefined && { text }), resolve: resolverFor(named, location) };
  // Of what comes with a folder, every change is asked about anyway.
  if (location === "working-folder") return loadFolderConfig(file, named.home);
  requireOwnWriters(file.path);
  if (location !== "flag") return loadConfig(file);
  const raw = file.text ?? (await readConfigText(path));
  const { convertConfig, isForeignConfig } = await import("../../sources/servers/import/convert-config.ts");
  if (!(await isForeignConfig(raw))) return loadConfig({ ...file, text: raw });
  const { value, taken, skipped } = await convertConfig(path, raw, env);
  const loaded = await loadConfig({ path, env, text: JSON.stringify(value) });
  const ignored = skipped.map(({ name, reason }) => problemOf(name, `is left out: ${reason}`));
  const notes = taken.flatMap(({ name, notes: all }) => all.map((note) => problemOf(name, note)));
  return {
    ...loaded,
    raw,
    waiting: loaded.waiting.map((problem) => ({ ...problem, ...start })),
    warnings: [...loaded.warnings, ...ignored, ...notes],
    ignored,
  };
}

/** Such a file is read only here: its program would not understand what we write. */
export async function requireOwnConfig(path: string, text: string): Promise<void> {
  const { isForeignConfig } = await import("../../sources/servers/import/convert-config.ts");
  if (!(await isForeignConfig(text))) return;
  const advice = `Run \`clawport import --from ${JSON.stringify(path)}\` to copy its servers, then leave out \`--config\`.`;
  throw new Fault("config", `${path} is the configuration of another program, which can't be edited here. ${advice}`);
}

/** A converted server has no place in the text. */
const start = { line: 1, column: 1 };

function problemOf(server: string, message: string): ConfigProblem {
  return { path: server, ...start, message };
}
