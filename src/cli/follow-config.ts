import type { Guard } from "../catalog/guard/guard.ts";
import { loadConfig } from "../core/config/load-config.ts";
import type { Config } from "../core/config/schema.ts";
import { watchConfig } from "../core/config/watch-config.ts";
import { Fault } from "../core/fault.ts";
import type { Home } from "../core/home.ts";
import type { LogLevel } from "../core/log.ts";
import type { ConfigInForce } from "./config-of.ts";
import type { LiveLog } from "./live-log.ts";
import { findDistrust } from "./require-trust.ts";
import type { World } from "./world.ts";

export interface FollowOptions {
  readonly home: Home;
  readonly configuration: ConfigInForce;
  readonly env: World["env"];
  readonly log: LiveLog;
  /** What the command line asked for; an edit does not overrule it. */
  readonly level?: LogLevel | undefined;
  readonly guard: Guard;
}

/** Applies edits of the configuration while the hub runs. A bad or untrusted edit leaves in force what was. */
export function followConfig(options: FollowOptions): { close(): Promise<void> } {
  const { home, configuration, env, log, level, guard } = options;
  const { file } = configuration;
  if (file === undefined) return { close: () => Promise.resolve() };
  let before = configuration.config;

  return watchConfig({
    path: file.path,
    raw: file.raw,
    async load(text) {
      const loaded = await loadConfig({ path: file.path, env, text });
      const distrust = await findDistrust(home, { ...loaded, location: file.location });
      if (distrust !== undefined) throw new Fault("untrusted", distrust);
      return loaded;
    },
    onChange({ config }) {
      guard.setPolicy(config.policy ?? {});
      log.change({ level: level ?? config.log.level, format: config.log.format });
      const later = needRestart.filter((key) => !isSame(before[key], config[key]));
      before = config;
      log.info("the edited configuration is in force", later.length === 0 ? {} : { afterRestart: later });
    },
    onProblem: ({ message }) => {
      log.error("the edited configuration is not used; the one before stays in force");
      for (const line of message.split("\n")) log.error(line);
    },
  });
}

/** What the hub only looks at when it starts. */
const needRestart = ["hub", "audit", "catalog", "servers"] as const satisfies readonly (keyof Config)[];

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
