import { Fault, isFault } from "../core/fault.ts";
import type { Home } from "../core/home.ts";
import type { Log } from "../core/log.ts";
import { holdLock } from "./hold-lock.ts";
import { hubFiles } from "./hub-files.ts";
import type { HubRecord } from "./hub-record.ts";
import { findRunningHub } from "./hub-record.ts";

const tryFor = 200;
const giveUpAfter = 15_000;

/**
 * Makes this process the only hub of its home, or says where that one runs. The lock is held for as long as the hub lives:
 * of two starts at the same moment one waits until the other has written down its address.
 */
export async function claimHub(home: Home, log: Log): Promise<{ release(): Promise<void> }> {
  const deadline = performance.now() + giveUpAfter;
  for (;;) {
    try {
      return await holdLock(hubFiles.lock(home), { waitMs: tryFor, log });
    } catch (error) {
      if (!isFault(error, "locked")) throw error;
      const running = await findRunningHub(home);
      if (running !== undefined) throw alreadyRuns(running);
      if (performance.now() > deadline) throw error;
    }
  }
}

function alreadyRuns(record: HubRecord): Fault {
  const { address, pid } = record;
  const message = `the hub already runs at ${address}/mcp; use it as it is, or stop it with: kill ${pid}`;
  return new Fault("conflict", message, { detail: { address, pid } });
}
