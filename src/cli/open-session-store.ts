import type { Home } from "../core/home.ts";
import { Fault, isFault } from "../core/fault.ts";
import type { Log } from "../core/log.ts";
import { openLogStore } from "../sources/apps/log-store.ts";
import type { SessionStore } from "../sources/apps/session-store.ts";
import { holdLock } from "./hold-lock.ts";

/** How long a proxy that is just stopping is waited for. */
const patienceMs = 5000;

/** The sessions of this home, for one proxy at a time. */
export async function openSessionStore(home: Home, log: Log): Promise<SessionStore> {
  const lock = await holdLock(home.file("apps", "sessions.lock"), { waitMs: patienceMs, log }).catch(
    (error: unknown) => {
      if (!isFault(error, "locked")) throw error;
      const { pid } = error.detail as { readonly pid: number };
      const what = `Another proxy, process ${pid}, has the sessions of this home.`;
      throw new Fault("conflict", `${what} Stop it (kill ${pid}), or start this one with --memory.`, { cause: error });
    },
  );
  try {
    const store = await openLogStore({ path: home.file("apps", "sessions.log"), log });
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
