import { isFault } from "../core/fault.ts";
import { stampFileNow } from "../core/files/file-stamp.ts";
import type { Home } from "../core/files/home.ts";
import type { GivenSurface } from "../doors/mcp/surface/surface-record.ts";
import { findHub } from "./state/find-hub.ts";
import { createRemoteControl } from "./control/remote-control.ts";
import type { Host } from "./state/host.ts";
import { hubFiles } from "./state/hub-files.ts";

/** Tells the hub what the client of a relay got, for `clawport status`. */
export interface SurfaceReporter {
  report(given: GivenSurface): Promise<void>;
  /** Reports everything again if that failed, or if the hub was started again: it knows nothing of our client then. */
  reportAgain(all: readonly GivenSurface[]): Promise<void>;
}

/** `caller` is the name of the client's token, if it has one. */
export function createSurfaceReporter(
  host: Pick<Host, "log">,
  home: Home,
  caller: string | undefined,
): SurfaceReporter {
  /** Which start of the hub knows. */
  let reportedTo: string | undefined = hubStart();

  return {
    report: (given) => send([given]),
    async reportAgain(all) {
      const start = hubStart();
      if (reportedTo === start) return;
      reportedTo = start;
      await send(all);
    },
  };

  async function send(all: readonly GivenSurface[]): Promise<void> {
    const hub = await findHub(home, "relay").catch(() => undefined);
    if (hub === undefined) return void (reportedTo = undefined);
    const control = createRemoteControl(hub);
    try {
      for (const { caller: principal, client, surface, why } of all)
        await control.status.noteSurface({ caller: caller ?? principal, client, surface, why });
    } catch (error) {
      host.log.debug("could not report the surface to the hub", { error });
      // An older hub does not know the verb.
      if (!isFault(error, "not-found")) reportedTo = undefined;
    } finally {
      control.close();
    }
  }

  /** Every start of a hub writes its record anew. */
  function hubStart(): string {
    return stampFileNow(hubFiles.record(home));
  }
}
