import { isUsedByAgents } from "../core/config/agent-servers-config.ts";
import { formatProblem } from "../core/config/config-problem.ts";
import type { Config } from "../core/config/config-schema.ts";
import { defaultConfig } from "../core/config/find-config.ts";
import type { LoadedConfig } from "../core/config/load-config.ts";
import { parseConfig } from "../core/config/parse-config.ts";
import { Fault } from "../core/fault.ts";
import type { Log } from "../core/log.ts";
import type { Env } from "../core/process/child-env.ts";
import type { ActiveConfig } from "../hub/state/active-config.ts";
import type { ConfigSource } from "../hub/engine/config-source.ts";
import { readAtStart, valueAt } from "../hub/engine/describe-edit.ts";
import type { OpenClawConfig } from "./openclaw-api.ts";

export const pluginId = "mcp-client";

/** What the plugin's part of OpenClaw's configuration says. */
export function pluginConfigOf(config: OpenClawConfig): Readonly<Record<string, unknown>> {
  return config.plugins?.entries?.[pluginId]?.config ?? {};
}

export interface PluginConfigOptions {
  /** OpenClaw's configuration file. */
  readonly path: string;
  readonly env: Env;
  readonly log: Log;
  /** The plugin's part of OpenClaw's configuration, as it is now. */
  read(): Readonly<Record<string, unknown>>;
  /** Changes servers before the engine sees them. */
  adapt(config: Config): Config;
}

/** The plugin's part of OpenClaw's configuration as the configuration of an engine. OpenClaw says when it changes. */
export interface PluginConfig extends ConfigSource {
  /** The latest configuration that could be used. */
  current(): Config;
  /** What is wrong with the configuration as it is written now; undefined if it is used. */
  problem(): string | undefined;
  /**
   * Applies what OpenClaw's configuration says now, unless it changes something that is read only at the start: then the
   * engine must be opened again. One that can't be used changes nothing.
   */
  changed(): Promise<"applied" | "reopen">;
}

export function openPluginConfig(options: PluginConfigOptions): PluginConfig {
  const { path, env, log } = options;
  let problem: string | undefined;
  let onChange: ((loaded: LoadedConfig) => Promise<void>) | undefined;
  let current = defaultConfig;
  let active: ActiveConfig = { config: defaultConfig };
  start();

  async function changed(): Promise<"applied" | "reopen"> {
    const before = atStart(current);
    const loaded = take();
    if (atStart(current) !== before) return "reopen";
    await onChange?.(loaded);
    return "applied";
  }

  return {
    get active() {
      return active;
    },
    place: { path, location: "flag" },
    current: () => current,
    problem: () => problem,
    read: () => Promise.resolve(take()),
    changed,
    follow(listener) {
      onChange = listener;
      return { reload: async () => void (await changed()), close: async () => void (onChange = undefined) };
    },
  };

  /** A mistake in it must not keep the gateway from starting: then there are no servers, and the log says why. */
  function start(): void {
    try {
      take();
    } catch {
      for (const line of problem?.split("\n") ?? []) log.error(line);
    }
  }

  function take(): LoadedConfig {
    const raw = JSON.stringify(options.read());
    const parsed = parseWithoutReferences(raw, env);
    if (parsed.problems !== undefined) {
      // OpenClaw hands over a value, so there are no lines to name.
      const lines = parsed.problems.map((each) => `  ${formatProblem(each)}`);
      problem = [`${where} in ${path} can't be used:`, ...lines].join("\n");
      throw new Fault("config", problem);
    }
    problem = undefined;
    current = parsed.config;
    for (const each of [...parsed.waiting, ...parsed.warnings]) log.warn(`${where}: ${formatProblem(each)}`);
    const loaded = { ...parsed, config: options.adapt(withoutUnused(parsed.config)), path, raw };
    active = { config: loaded.config, file: { ...loaded, location: "flag" } };
    return loaded;
  }
}

/** The text of a reference must not go to a server in place of the secret. */
function parseWithoutReferences(raw: string, env: Env): ReturnType<typeof parseConfig> {
  const parsed = parseConfig(raw, env);
  if (parsed.problems !== undefined || parsed.references.length === 0) return parsed;
  const problems = new Map(parsed.references.map((name) => [name, noReferences]));
  return parseConfig(raw, env, { values: new Map(), problems });
}

const noReferences =
  "the plugin looks up no secrets; set a variable for the gateway and write ${NAME}, or have the server in a hub (`clawport connect`)";

const where = `plugins.entries["${pluginId}"].config`;

function atStart(config: Config): string {
  return JSON.stringify(readAtStart.map((key) => valueAt(config, key)));
}

/** A server that no agent may use is not connected. */
function withoutUnused(config: Config): Config {
  const servers = Object.entries(config.servers).map(([name, server]) => {
    const isUsed = isUsedByAgents(config.agents, name);
    return [name, isUsed ? server : { ...server, enabled: false }] as const;
  });
  return { ...config, servers: Object.fromEntries(servers) };
}
