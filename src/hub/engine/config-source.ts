import { statSync } from "node:fs";
import { formatProblemAt } from "../../core/config/config-problem.ts";
import { configName } from "../../core/config/find-config.ts";
import type { LoadedConfig } from "../../core/config/load-config.ts";
import type { StartedCommand } from "../../core/config/trust/run-files.ts";
import { type ConfigWatch, watchConfig, type WatchOptions } from "../../core/config/watch-config.ts";
import { Fault } from "../../core/fault.ts";
import type { Home } from "../../core/files/home.ts";
import { type Log, silentLog } from "../../core/log.ts";
import type { World } from "../../core/process/world.ts";
import type { ActiveConfig } from "../state/active-config.ts";
import type { FoundConfig } from "../../core/config/find-config.ts";
import { loadNamedConfig } from "../state/load-named-config.ts";

/** Where an engine's configuration comes from: a file, or the configuration of the program that hosts the engine. */
export interface ConfigSource {
  /** What the engine starts with. */
  readonly active: ActiveConfig;
  /** The file it was read from, or that would be read if it existed. */
  readonly place: FoundConfig;
  /** What it says now. Faults if that can't be used, or is not trusted. */
  read(): Promise<LoadedConfig>;
  /** Called before a command of this configuration starts. Faults if the command is no longer what the user trusted. */
  readonly checkCommand?: ((command: StartedCommand) => Promise<void>) | undefined;
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
export function configFile(options: Omit<ConfigFileOptions, "log">): ConfigSource {
  return openConfigFile({ ...options, log: silentLog }).source;
}

/** A configuration file whose edits are followed. A bad or untrusted edit changes nothing. */
export function watchedConfigFile(options: ConfigFileOptions): ConfigSource {
  const { home, configuration, env, log } = options;
  const { source, take, takeOwner, stamp } = openConfigFile(options);
  const { path, location } = source.place;
  return {
    ...source,
    follow(onChange) {
      const file = followFile({ path, raw: configuration.file?.raw, load: take, onChange, stamp }, log);
      const ownerPath = home.file(configName);
      const owner =
        location === "working-folder" &&
        followFile(
          {
            path: ownerPath,
            raw: configuration.owner?.raw,
            load: async (text) =>
              takeOwner(await loadNamedConfig({ path: ownerPath, home: home.path, env, text }, "state-folder")),
            onChange,
            stamp,
          },
          log,
        );
      const followed = [file, ...(owner ? [owner] : [])];
      return {
        async reload() {
          for (const each of followed) await each.reload();
        },
        close: async () => void (await Promise.all(followed.map((each) => each.close()))),
      };
    },
  };
}

/**
 * The file as it is used now, and how a new text of it, or of the owner's configuration, is taken up. What that needs is
 * loaded then: most engines never see a new text.
 */
function openConfigFile({ home, configuration, env, log }: ConfigFileOptions) {
  const place = placeOf(configuration, home);
  let { file, owner } = configuration;
  const reported = new Set(configuration.ignored?.map(({ message, path }) => path + message));

  async function take(text?: string): Promise<LoadedConfig> {
    const written = { path: place.path, home: home.path, env, ...(text !== undefined && { text }) };
    const loaded = { ...place, ...(await loadNamedConfig(written, place.location)) };
    const { findTrustProblem } = await import("../state/find-doubt.ts");
    const untrusted = await findTrustProblem(home, loaded);
    // Trusted in between: now its secrets can be looked up.
    if (untrusted === undefined && loaded.isWithheld === true) return take(text);
    if (untrusted !== undefined) throw new Fault("untrusted", untrusted);
    file = loaded;
    return merge(loaded);
  }

  async function merge(loaded: NonNullable<ActiveConfig["file"]>): Promise<LoadedConfig> {
    const { activate } = await import("../state/active-config.ts");
    const { config, ignored = [] } = await activate(loaded, owner);
    for (const problem of ignored) {
      if (!reported.has(problem.path + problem.message)) log.warn(formatProblemAt(place.path, problem));
      reported.add(problem.path + problem.message);
    }
    return { ...loaded, config };
  }

  const source: ConfigSource = {
    active: configuration,
    place,
    read: () => take(),
    async checkCommand(command) {
      if (file?.location !== "working-folder") return;
      const { requireTrustedCommand } = await import("../state/require-trust.ts");
      await requireTrustedCommand(home, file, command);
    },
  };
  return {
    source,
    take,
    /** Of the files that its secrets come from. */
    async stamp(): Promise<string> {
      const references = [...(file?.references ?? []), ...(owner?.references ?? [])];
      if (references.length === 0) return "";
      const { filesOfSecrets } = await import("../../sources/servers/secrets/resolve-secrets.ts");
      return filesOfSecrets(references, home.path).map(stampOf).join();
    },
    async takeOwner(loaded: LoadedConfig): Promise<LoadedConfig> {
      owner = loaded;
      return file === undefined ? loaded : merge(file);
    },
  };
}

function stampOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return `${found?.mtimeMs} ${found?.ino} ${found?.size} ${found?.mode}`;
}

interface FollowedFile extends ConfigWatch {
  reload(): Promise<void>;
}

function followFile(options: Omit<WatchOptions, "onProblem">, log: Log): FollowedFile {
  let problem: Fault | undefined;
  const watching = watchConfig({
    ...options,
    onChange(loaded) {
      problem = undefined;
      return options.onChange(loaded);
    },
    onProblem(fault) {
      problem = fault;
      log.error("the edited configuration can't be used; keeping the previous one");
      for (const line of fault.message.split("\n")) log.error(line);
    },
  });
  return {
    ...watching,
    async reload() {
      await watching.probe();
      if (problem !== undefined) throw problem;
    },
  };
}

/** Without a file: the one that the next start would find, whatever folder it is in. */
export function placeOf({ file }: Pick<ActiveConfig, "file">, home: Home): FoundConfig {
  // Not the file itself: a place is sent to other processes, and the file holds what came from the environment.
  if (file !== undefined) return { path: file.path, location: file.location };
  return { path: home.file(configName), location: "state-folder" };
}
