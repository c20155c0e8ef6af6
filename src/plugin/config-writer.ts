import { Fault } from "../core/fault.ts";
import { asRecord, isRecord } from "../core/is-record.ts";
import type { ConfigEditor } from "../hub/presentation/connect.ts";
import type { ConfigWrites } from "./config-writes.ts";

export interface PluginEditorOptions {
  readonly writes: Pick<ConfigWrites, "editServers">;
  /** The names of the configured servers. */
  names(): readonly string[];
  /** Faults if a server can't be connected with these settings. */
  check(name: string, settings: Readonly<Record<string, unknown>>): Promise<void>;
}

/** Edits the servers in OpenClaw's configuration. */
export function createPluginEditor({ writes, names, check }: PluginEditorOptions): ConfigEditor {
  return {
    check: (_place, name, settings) => check(name, settings),
    async add(_place, name, settings) {
      writes.editServers((servers) => ({ ...servers, [name]: settings }));
      return async () => remove(name);
    },
    async set(_place, name, settings) {
      requireKnown(name);
      let before: unknown;
      writes.editServers((servers) => {
        before ??= servers[name];
        return { ...servers, [name]: withSettings(asRecord(before), settings) };
      });
      return async () => writes.editServers((servers) => ({ ...servers, [name]: before }));
    },
    async remove(_place, name) {
      requireKnown(name);
      remove(name);
    },
  };

  function requireKnown(name: string): void {
    if (names().includes(name)) return;
    throw new Fault("not-found", `There is no server named ${name} in the configuration.`);
  }

  function remove(name: string): void {
    writes.editServers((servers) => Object.fromEntries(Object.entries(servers).filter(([each]) => each !== name)));
  }
}

/** Headers and variables that are not named stay. */
function withSettings(
  server: Readonly<Record<string, unknown>>,
  settings: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const changed = Object.entries(settings).map(([key, value]) => [
    key,
    isRecord(value) ? { ...asRecord(server[key]), ...value } : value,
  ]);
  return { ...server, ...(Object.fromEntries(changed) as Record<string, unknown>) };
}
