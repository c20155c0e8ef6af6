import { watch } from "node:fs";
import type { Home } from "../../core/files/home.ts";
import { type Log, silentLog } from "../../core/log.ts";
import { sleep, untilAborted } from "../../core/wait.ts";
import { createRemoteControl } from "../control/remote-control.ts";
import type { Presence } from "../control/queries/presence.ts";
import type { HubControl } from "../control/verbs.ts";
import { findHubOrNode } from "../state/find-hub.ts";
import { hubRecordName } from "../state/open-home.ts";

/** The hub or node that a tray shows: in this process, or another one that comes and goes. */
export interface HubLink {
  /** Undefined while none runs. */
  control(): HubControl | undefined;
  /** Calls back with every change until the signal aborts. Waits for events only: nothing is asked over and over. */
  follow(asks: () => boolean, onPresence: (presence: Presence | undefined) => void, signal: AbortSignal): Promise<void>;
}

/** A hub that does not answer, although it runs, is asked again after this time. */
const retryMs = 500;

type Follow = Parameters<HubLink["follow"]>;

async function followControl(control: HubControl, ...[asks, onPresence, signal]: Follow): Promise<void> {
  let after: string | undefined;
  while (!signal.aborted) {
    const presence = await control.presence.read({ after, asks: asks() }, signal);
    after = presence.revision;
    onPresence(presence);
  }
}

/** The node in this process. */
export function linkToEngine(control: HubControl): HubLink {
  return {
    control: () => control,
    follow: (...given) => followControl(control, ...given).catch(() => {}),
  };
}

/** Whatever runs on the state folder. */
export function linkToFolder(home: Home, log: Log = silentLog): HubLink {
  let open: ReturnType<typeof createRemoteControl> | undefined;

  async function followOnce(...[asks, onPresence, signal]: Follow): Promise<void> {
    // Watched before it is looked for: one that starts in between is not missed.
    const started = untilRecordChanges(home.path, signal);
    try {
      const hub = await findHubOrNode(home).catch((error: unknown) => log.debug("the hub can't be asked", { error }));
      if (hub === undefined) {
        onPresence(undefined);
        return await started.change;
      }
      open = createRemoteControl(hub);
      await followControl(open, asks, onPresence, signal);
    } catch (error) {
      log.debug("the hub is gone, or did not answer", { error });
      await sleep(retryMs, signal).catch(() => {});
    } finally {
      started.stop();
      open?.close();
      open = undefined;
    }
  }

  return {
    control: () => open,
    async follow(...given) {
      while (!given[2].aborted) await followOnce(...given);
    },
  };
}

/** A hub writes down where it is when it has started. */
function untilRecordChanges(folder: string, signal: AbortSignal) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const watcher = watch(folder, (_, name) => {
    if (name === null || name === hubRecordName) resolve();
  });
  watcher.once("error", () => resolve());
  return { change: Promise.race([promise, untilAborted(signal)]), stop: () => watcher.close() };
}
