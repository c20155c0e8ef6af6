import { Fault } from "../core/fault.ts";
import { isRecord } from "../core/is-record.ts";
import type { ConfigEditor } from "../hub/verbs/connect.ts";
import type { OpenClawConfig, OpenClawConfigRuntime } from "./openclaw-api.ts";
import { pluginConfigOf, pluginId } from "./plugin-config.ts";

export interface PluginEditorOptions {
  runtime(): OpenClawConfigRuntime;
  /** Called with the plugin's part of what was written: OpenClaw takes it up a moment later. */
  onWritten(config: Readonly<Record<string, unknown>>): void;
  /** Faults if a server can't be connected with these settings. */
  check(name: string, settings: Readonly<Record<string, unknown>>): Promise<void>;
}

/** Edits the servers in OpenClaw's configuration, with OpenClaw's own writer. */
export function createPluginEditor({ runtime, onWritten, check }: PluginEditorOptions): ConfigEditor {
  return {
    check: (_place, name, settings) => check(name, settings),
    async add(_place, name, settings) {
      await editServers((servers) => ({ ...servers, [name]: settings }));
      return () => editServers(without(name));
    },
    async remove(_place, name) {
      const { servers } = pluginConfigOf(runtime().current());
      if (!isRecord(servers) || !Object.hasOwn(servers, name))
        throw new Fault("not-found", `There is no server named ${name} in the configuration.`);
      await editServers(without(name));
    },
  };

  async function editServers(edit: (servers: Record<string, unknown>) => Record<string, unknown>): Promise<void> {
    let written: Readonly<Record<string, unknown>> = {};
    await runtime().mutateConfigFile({
      afterWrite: { mode: "auto" },
      writeOptions: { allowConfigSizeDrop: true },
      mutate(draft: OpenClawConfig) {
        const entry = (((draft.plugins ??= {}).entries ??= {})[pluginId] ??= {});
        const config = (entry.config ??= {});
        config["servers"] = edit((config["servers"] ?? {}) as Record<string, unknown>);
        written = structuredClone(config);
      },
    });
    onWritten(written);
  }
}

function without(name: string) {
  return (servers: Record<string, unknown>): Record<string, unknown> =>
    Object.fromEntries(Object.entries(servers).filter(([each]) => each !== name));
}
