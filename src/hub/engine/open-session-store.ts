import { Fault, isFault } from "../../core/fault.ts";
import { holdLock } from "../../core/files/hold-lock.ts";
import type { Home } from "../../core/files/home.ts";
import type { Log } from "../../core/log.ts";
import { openFileSessionStore } from "../../sources/apps/store/file-session-store.ts";
import type { SessionStore } from "../../sources/apps/store/session-store.ts";
import { findRunningHub } from "../hub-record.ts";

/** How long a proxy that is just stopping is waited for. */
const patienceMs = 5000;

/** The sessions of this home, for one proxy at a time; `instead` is what a second one can do beside stopping the first. */
export async function openSessionStore(home: Home, log: Log, instead: string): Promise<SessionStore> {
  const lock = await holdLock(home.file("apps", "sessions.lock"), { waitMs: patienceMs, log }).catch(
    async (error: unknown) => {
      if (!isFault(error, "locked")) throw error;
      const { pid } = error.detail as { readonly pid: number };
      const isHub = (await findRunningHub(home))?.pid === pid;
      const message = isHub
        ? `The hub, process ${pid}, serves the apps of this home already: connect them to it, or ${instead}.`
        : `Another proxy, process ${pid}, has the sessions of this home. Stop it (kill ${pid}), or ${instead}.`;
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
