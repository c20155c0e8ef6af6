import { Fault } from "../core/fault.ts";
import type { ConfigEditor } from "../hub/verbs/connect.ts";
import type { OpenClawConfig, OpenClawConfigRuntime } from "./openclaw-api.ts";
import { pluginConfigOf, pluginId } from "./plugin-config.ts";

export interface PluginEditorOptions {
  runtime(): OpenClawConfigRuntime;
  /** Faults if a server can't be connected with these settings. */
  check(name: string, settings: Readonly<Record<string, unknown>>): Promise<void>;
}

/** Edits the servers in OpenClaw's configuration, with OpenClaw's own writer. */
export function createPluginEditor({ runtime, check }: PluginEditorOptions): ConfigEditor {
  return {
    check: (_place, name, settings) => check(name, settings),
    async add(_place, name, settings) {
      await editServers((servers) => ({ ...servers, [name]: settings }));
      return () => editServers(without(name));
    },
    async remove(_place, name) {
      const { servers } = pluginConfigOf(runtime().current());
      if (!Object.hasOwn((servers ?? {}) as object, name))
        throw new Fault("not-found", `There is no server named ${name} in the configuration.`);
      await editServers(without(name));
    },
  };

  async function editServers(edit: (servers: Record<string, unknown>) => Record<string, unknown>): Promise<void> {
    await runtime().mutateConfigFile({
      afterWrite: { mode: "auto" },
      mutate(draft: OpenClawConfig) {
        const entry = (((draft.plugins ??= {}).entries ??= {})[pluginId] ??= {});
        const config = (entry.config ??= {});
        config["servers"] = edit((config["servers"] ?? {}) as Record<string, unknown>);
      },
    });
  }
}

const without =
  (name: string) =>
  ({ [name]: _, ...rest }: Record<string, unknown>): Record<string, unknown> =>
    rest;
