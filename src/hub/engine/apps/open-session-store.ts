import { Fault, isFault } from "../../../core/fault.ts";
import { holdLock } from "../../../core/files/file-lock.ts";
import type { Home } from "../../../core/files/home.ts";
import type { Log } from "../../../core/log.ts";
import { openFileSessionStore } from "../../../sources/apps/store/file-session-store.ts";
import type { SessionStore } from "../../../sources/apps/store/session-store.ts";
import { findRunningHub } from "../../state/hub-record.ts";

/** How long to wait for a proxy that is just stopping. */
const patienceMs = 5000;

/** The app sessions of this state folder, for one proxy at a time; `instead` tells a second one what else it can do. */
export async function openSessionStore(home: Home, log: Log, instead: string): Promise<SessionStore> {
  const lock = await holdLock(home.file("apps", "sessions.lock"), { waitMs: patienceMs, log }).catch(
    async (error: unknown) => {
      if (!isFault(error, "locked")) throw error;
      const { pid } = error.detail as { readonly pid: number };
      const isHub = (await findRunningHub(home))?.pid === pid;
      const message = isHub
        ? `The hub (process ${pid}) already serves the apps of this state folder. Connect them to it, or ${instead}.`
        : `Another proxy (process ${pid}) holds the sessions of this state folder. Stop it with \`kill ${pid}\`, or ${instead}.`;
      throw new Fault("conflict", message, { cause: error });
    },
  );
  try {
    const store = await openFileSessionStore({ path: home.file("apps", "sessions.log"), log });
    return {
      ...store,
      async [Symbol.asyncDispose]() {
        await store[Symbol.asyncDispose]();
        await lock.release();
      },
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
}
