import { Fault } from "../core/fault.ts";
import type { ConfigEditor } from "../hub/verbs/connect.ts";
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
    async remove(_place, name) {
      if (!names().includes(name))
        throw new Fault("not-found", `There is no server named ${name} in the configuration.`);
      remove(name);
    },
  };

  function remove(name: string): void {
    writes.editServers((servers) => Object.fromEntries(Object.entries(servers).filter(([each]) => each !== name)));
  }
}
