import type { Config } from "../../core/config/config-schema.ts";
import type { LoadedConfig } from "../../core/config/load-config.ts";
import { messageOf } from "../../core/fault.ts";
import { isSameJson } from "../../core/is-same-json.ts";
import type { LiveLog, Log, LogLevel } from "../../core/log.ts";
import type { NamedSecret } from "../../core/text/shown-text.ts";
import type { ConfigSource, FollowedConfig } from "./config-source.ts";
import type { LiveMachine } from "./live-machine.ts";
import { type GuardedCatalog, rulePatterns } from "./open-guard.ts";
import type { OpenedServers } from "./open-servers.ts";
import { describeEdit, findRestartKeys } from "./describe-edit.ts";

export interface LiveEditsOptions {
  readonly configuration: ConfigSource;
  readonly log: Log & Partial<LiveLog>;
  /** The configuration does not override it. */
  readonly logLevel: LogLevel | undefined;
  readonly isNode: boolean;
}

/** What an edit changes while it runs. */
export interface EditedParts extends Pick<GuardedCatalog, "catalog" | "guard"> {
  readonly computer: Pick<LiveMachine, "applyTools" | "applyGateway">;
  /** Undefined until they are opened. */
  servers(): Promise<OpenedServers> | undefined;
}

/** The configuration of a running engine, and how edits of it take effect. */
export interface LiveEdits {
  current(): Config;
  /** The values that the configuration took from variables, now or before. */
  secrets(): readonly NamedSecret[];
  /** Calls the listener when `hub` was edited, with the new configuration. */
  onEdit(listener: (config: Config) => void): void;
  applyTo(parts: EditedParts): void;
  follow(): void;
  /** Applies what the configuration says now. */
  reload(): Promise<void>;
  close(): Promise<void>;
}

export function createLiveEdits({ configuration, log, logLevel, isNode }: LiveEditsOptions): LiveEdits {
  const { config, file, owner } = configuration.active;
  let current = config;
  let secrets = [...(file?.secrets ?? []), ...(owner?.secrets ?? [])];
  let parts: EditedParts | undefined;
  let followed: FollowedConfig | undefined;
  const listeners: ((config: Config) => void)[] = [];

  async function apply(loaded: LoadedConfig): Promise<void> {
    if (parts === undefined) return;
    const { guard, catalog, computer, servers } = parts;
    const { config: edited, secrets: named = [] } = loaded;
    guard.setPolicy(edited.policy ?? {});
    secrets = [...named, ...secrets.filter(({ value }) => !named.some((one) => one.value.equals(value)))];
    if (!isSameJson(current.policy, edited.policy)) catalog.watchPatterns(rulePatterns(edited.policy));
    // At once: what is switched off does not wait for servers that stop.
    const machineApplied = applyMachine(computer, edited.machine);
    if (!isSameJson(current.catalog, edited.catalog)) catalog.setFilter(edited.catalog);
    log.change?.({ level: logLevel ?? edited.log.level, format: edited.log.format });
    if (!isSameJson(current.hub, edited.hub)) for (const listener of listeners) listener(edited);
    const changes = describeEdit(current, edited);
    const later = findRestartKeys(current, edited, isNode ? "node" : "hub");
    current = edited;
    await (await servers())?.servers.apply(loaded);
    await machineApplied;
    if (followed === undefined) return;
    log.info(`the edited configuration is active: ${changes.join(", ") || "nothing has changed"}`);
    for (const key of later)
      log.warn(`changes to ${key} take effect after a restart: press Ctrl-C, then start it again`);
  }

  /** The rest of the edit counts, whatever comes of this. So does the gateway, whatever comes of the tools. */
  async function applyMachine(computer: EditedParts["computer"], edited: Config["machine"]): Promise<void> {
    const note = (error: unknown): void => log.error(`changes to machine could not be applied: ${messageOf(error)}`);
    await computer.applyTools(edited).catch(note);
    await computer.applyGateway(edited).catch(note);
  }

  return {
    current: () => current,
    secrets: () => secrets,
    onEdit: (listener) => void listeners.push(listener),
    applyTo: (given) => void (parts = given),
    follow: () => void (followed = configuration.follow?.(apply)),
    reload: async () => (followed ? followed.reload() : apply(await configuration.read())),
    close: async () => followed?.close(),
  };
}
