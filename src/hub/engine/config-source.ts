import { configName } from "../../core/config/find-config.ts";
import { loadConfig, type LoadedConfig } from "../../core/config/load-config.ts";
import { watchConfig } from "../../core/config/watch-config.ts";
import { Fault } from "../../core/fault.ts";
import type { Home } from "../../core/files/home.ts";
import type { Log } from "../../core/log.ts";
import type { World } from "../../core/process/world.ts";
import type { ActiveConfig } from "../active-config.ts";
import type { ConfigPlace } from "../control/hub-control.ts";
import { findTrustProblem } from "../require-trust.ts";

/** Where an engine's configuration comes from: a file, or the configuration of the program that hosts the engine. */
export interface ConfigSource {
  /** What the engine starts with. */
  readonly active: ActiveConfig;
  /** The file it was read from, or that would be read if it existed. */
  readonly place: ConfigPlace;
  /** What it says now. Faults if that can't be used. */
  read(): Promise<LoadedConfig>;
  /** Hands over each edit that can be used and logs the others. Absent if edits are not followed. */
  follow?(onChange: (loaded: LoadedConfig) => Promise<void>): FollowedConfig;
}

export interface FollowedConfig {
  /** Applies what the source says now, or faults with what is wrong with it. */
  reload(): Promise<void>;
  close(): Promise<void>;
}

export interface ConfigFileOptions {
  readonly home: Home;
  readonly configuration: ActiveConfig;
  readonly env: World["env"];
  readonly log: Log;
}

/** A configuration file that is read once. */
export function configFile({ home, configuration, env }: Omit<ConfigFileOptions, "log">): ConfigSource {
  const place = placeOf(configuration, home);
  return { active: configuration, place, read: () => loadConfig({ path: place.path, env }) };
}

/** A configuration file whose edits are followed. A bad or untrusted edit changes nothing. */
export function watchedConfigFile(options: ConfigFileOptions): ConfigSource {
  const { home, configuration, env, log } = options;
  const source = configFile(options);
  const { path, location } = source.place;
  return {
    ...source,
    follow(onChange) {
      let problem: Fault | undefined;
      const watching = watchConfig({
        path,
        raw: configuration.file?.raw,
        async load(text) {
          const loaded = await loadConfig({ path, env, text });
          const untrusted = await findTrustProblem(home, { ...loaded, location });
          if (untrusted !== undefined) throw new Fault("untrusted", untrusted);
          return loaded;
        },
        onChange(loaded) {
          problem = undefined;
          return onChange(loaded);
        },
        onProblem(fault) {
          problem = fault;
          log.error("the edited configuration can't be used; keeping the previous one");
          for (const line of fault.message.split("\n")) log.error(line);
        },
      });
      return {
        async reload() {
          await watching.look();
          if (problem !== undefined) throw problem;
        },
        close: () => watching.close(),
      };
    },
  };
}

/** Without a file: the one that the next start would find, whatever folder it is in. */
export function placeOf({ file }: Pick<ActiveConfig, "file">, home: Home): ConfigPlace {
  // Not the file itself: a place is sent to other processes, and the file holds what came from the environment.
  if (file !== undefined) return { path: file.path, location: file.location };
  return { path: home.file(configName), location: "state-folder" };
}
