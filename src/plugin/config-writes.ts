import { Fault, messageOf } from "../core/fault.ts";
import { isRecord } from "../core/is-record.ts";
import type { Log } from "../core/log.ts";
import type { ConfigEdit, OpenClawConfig } from "./openclaw-api.ts";
import { pluginId } from "./plugin-config.ts";

type Own = Readonly<Record<string, unknown>>;

/** A change of the configured servers. Made twice it does the same as made once. */
export type ServersEdit = (servers: Own) => Own;

export interface ConfigWritesOptions {
  readonly log: Log;
  /** Writes OpenClaw's configuration file. */
  write(edit: ConfigEdit, attempt: number): Promise<unknown>;
}

/**
 * Writes to OpenClaw's configuration. OpenClaw takes up a write by replacing the plugin, and waits five seconds for calls of
 * it that still run; after that it replaces it by force, and commands fail. So a command is answered first, and what it
 * changes is written when no command runs.
 */
export interface ConfigWrites {
  /** Runs a command. */
  during<T>(command: () => Promise<T>): Promise<T>;
  /** Resolves when no command runs. */
  idle(): Promise<void>;
  /** Changes the servers: for us at once, in the file as soon as no command runs. */
  editServers(edit: ServersEdit): void;
  /** Our part of the configuration, with what OpenClaw has not taken up yet. */
  withEdits(own: Own): Own;
  /** OpenClaw has started the service with the configuration as it is in the file. */
  takenUp(): void;
}

/** Commands that follow one another are written together. */
const quietMs = 300;
const retryMs = 1000;
const maxAttempts = 10;

export function createConfigWrites({ log, write }: ConfigWritesOptions): ConfigWrites {
  let edits: readonly { readonly edit: ServersEdit; isWritten: boolean }[] = [];
  let commands = 0;
  let attempts = 0;
  let timer: NodeJS.Timeout | undefined;
  let waiting: (() => void)[] = [];

  return {
    async during(command) {
      commands++;
      try {
        return await command();
      } finally {
        if (--commands === 0) {
          for (const resolve of waiting) resolve();
          waiting = [];
        }
      }
    },
    idle,
    editServers(edit) {
      edits = [...edits, { edit, isWritten: false }];
      writeAfter(quietMs);
    },
    withEdits: (own) => edits.reduce((before, { edit }) => ({ ...before, servers: edit(serversOf(before)) }), own),
    takenUp() {
      edits = edits.filter(({ isWritten }) => !isWritten);
    },
  };

  function idle(): Promise<void> {
    return commands === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve));
  }

  function writeAfter(ms: number): void {
    clearTimeout(timer);
    timer = setTimeout(() => void writeNow(), ms).unref();
  }

  async function writeNow(): Promise<void> {
    if (commands > 0) return void idle().then(() => writeAfter(quietMs));
    const due = edits.filter(({ isWritten }) => !isWritten);
    if (due.length === 0) return;
    try {
      await write(
        {
          afterWrite: { mode: "auto" },
          writeOptions: { allowConfigSizeDrop: true },
          mutate(draft: OpenClawConfig) {
            const entry = (((draft.plugins ??= {}).entries ??= {})[pluginId] ??= {});
            const config = (entry.config ??= {});
            config["servers"] = due.reduce((servers, { edit }) => edit(servers), serversOf(config));
          },
        },
        attempts + 1,
      );
      for (const each of due) each.isWritten = true;
      attempts = 0;
    } catch (error) {
      if (++attempts < maxAttempts) return writeAfter(retryMs);
      attempts = 0;
      edits = edits.filter((each) => !due.includes(each));
      log.error(new Fault("unavailable", `The change of the servers is lost: ${messageOf(error)}`).message);
    }
  }
}

function serversOf({ servers }: Own): Own {
  return isRecord(servers) ? servers : {};
}
