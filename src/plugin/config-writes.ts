import { setTimeout as wait } from "node:timers/promises";
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
 * Writes to OpenClaw's configuration. OpenClaw takes up a write by loading its plugins anew, and a command that it has taken
 * in but not run by then fails ("retired registry generation"). So a command is answered first, and what it changes is
 * written when none runs, none is on its way, and the chats have been quiet for a moment.
 */
export interface ConfigWrites {
  /** A message came. If it is a command of ours, nothing is written until that has run. */
  expect(isCommand: boolean): void;
  /** Runs a command. */
  during<T>(command: () => Promise<T>): Promise<T>;
  /** Resolves when the configuration may be written. */
  idle(): Promise<void>;
  /** Changes the servers: for us at once, in the file as soon as it may be written. */
  editServers(edit: ServersEdit): void;
  /** Our part of the configuration, with what OpenClaw has not taken up yet. */
  withEdits(own: Own): Own;
  /** OpenClaw has started the service with the configuration as it is in the file. */
  takenUp(): void;
}

/** Commands that follow one another are written together. A busy OpenClaw tells us seconds later that a message came. */
const quietMs = 2000;
/** Longer than a busy OpenClaw takes until it runs a command. One that is not allowed never comes. */
const expectMs = 60_000;
const lookEveryMs = 100;
const retryMs = 1000;
const maxAttempts = 10;

export function createConfigWrites({ log, write }: ConfigWritesOptions): ConfigWrites {
  let edits: readonly { readonly edit: ServersEdit; isWritten: boolean }[] = [];
  let commands = 0;
  let attempts = 0;
  let timer: NodeJS.Timeout | undefined;
  /** Until when each command that is on its way is waited for. */
  let expected: readonly number[] = [];
  let quietFrom = 0;

  return {
    expect(isCommand) {
      const now = performance.now();
      quietFrom = now + quietMs;
      expected = expected.filter((until) => until > now);
      if (isCommand) expected = [...expected, now + expectMs];
    },
    async during(command) {
      commands++;
      expected = expected.slice(1);
      try {
        return await command();
      } finally {
        commands--;
        quietFrom = performance.now() + quietMs;
      }
    },
    idle,
    editServers(edit) {
      edits = [...edits, { edit, isWritten: false }];
      writeAfter(0);
    },
    withEdits: (own) => edits.reduce((before, { edit }) => ({ ...before, servers: edit(serversOf(before)) }), own),
    takenUp() {
      edits = edits.filter(({ isWritten }) => !isWritten);
    },
  };

  async function idle(): Promise<void> {
    while (isBusy(performance.now())) await wait(lookEveryMs, undefined, { ref: false });
  }

  function isBusy(now: number): boolean {
    return commands > 0 || now < quietFrom || expected.some((until) => until > now);
  }

  function writeAfter(ms: number): void {
    clearTimeout(timer);
    timer = setTimeout(() => void writeNow(), ms).unref();
  }

  async function writeNow(): Promise<void> {
    if (isBusy(performance.now())) return writeAfter(lookEveryMs);
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
