import type { Catalog } from "../catalog/catalog.ts";
import type { Guard } from "../catalog/guard/guard.ts";
import type { ActiveConfig } from "../cli/config-of.ts";
import type { Config } from "../core/config/config-schema.ts";
import { configName } from "../core/config/find-config.ts";
import { loadConfig, type LoadedConfig } from "../core/config/load-config.ts";
import { watchConfig } from "../core/config/watch-config.ts";
import { Fault } from "../core/fault.ts";
import type { Home } from "../core/files/home.ts";
import type { LiveLog } from "../core/live-log.ts";
import type { LogLevel } from "../core/log.ts";
import type { World } from "../core/process/world.ts";
import type { ConfigPlace } from "./control/hub-control.ts";
import { findTrustProblem } from "./require-trust.ts";

export interface FollowOptions {
  readonly home: Home;
  readonly configuration: ActiveConfig;
  readonly env: World["env"];
  readonly log: LiveLog;
  /** What the command line asked for; an edit does not overrule it. */
  readonly level?: LogLevel | undefined;
  readonly guard: Guard;
  readonly catalog: Catalog;
  /** Makes the servers be those of the configuration. */
  applyServers(loaded: LoadedConfig): Promise<void>;
}

/** The configuration file of a running process, followed. */
export interface FollowedConfig {
  readonly place: ConfigPlace;
  /** Takes up what the file says now, or faults with what is wrong with it. */
  reload(): Promise<void>;
  close(): Promise<void>;
}

/** Applies edits of the configuration while the hub runs. A bad or untrusted edit leaves in force what was. */
export function followConfig(options: FollowOptions): FollowedConfig {
  const { home, configuration, env, log, level, guard, catalog } = options;
  const place = placeOf(configuration, home);
  const { path, location } = place;
  let before = configuration.config;
  let problem: Fault | undefined;

  const watching = watchConfig({
    path,
    raw: configuration.file?.raw,
    async load(text) {
      const loaded = await loadConfig({ path, env, text });
      const distrust = await findTrustProblem(home, { ...loaded, location });
      if (distrust !== undefined) throw new Fault("untrusted", distrust);
      return loaded;
    },
    async onChange(loaded) {
      const { config } = loaded;
      problem = undefined;
      guard.setPolicy(config.policy ?? {});
      if (!isSame(before.catalog, config.catalog)) catalog.setFilter(config.catalog);
      log.change({ level: level ?? config.log.level, format: config.log.format });
      const later = needRestart.filter((key) => !isSame(before[key], config[key]));
      before = config;
      await options.applyServers(loaded);
      log.info("the edited configuration is in force");
      for (const part of later)
        log.warn(`what it says of ${part} counts after a restart: press Ctrl-C, then start it again`);
    },
    onProblem: (fault) => {
      problem = fault;
      log.error("the edited configuration is not used; the one before stays in force");
      for (const line of fault.message.split("\n")) log.error(line);
    },
  });
  return {
    place,
    async reload() {
      await watching.look();
      if (problem !== undefined) throw problem;
    },
    close: () => watching.close(),
  };
}

/** Without a file, the one that would be found at the next start wherever that happens. */
export function placeOf({ file }: Pick<ActiveConfig, "file">, home: Home): ConfigPlace {
  return file ?? { path: home.file(configName), location: "state-folder" };
}

/** What the hub only looks at when it starts. */
const needRestart = [
  "hub",
  "audit",
  "agent",
  "apps",
  "toolDiscoveryInterval",
  "maxConcurrentServers",
] as const satisfies readonly (keyof Config)[];

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
