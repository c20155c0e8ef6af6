import type { Log } from "../../../core/log.ts";
import type { Requester } from "../../../mcp/server/offer.ts";
import type { ChosenSurface, Surface, SurfaceSetting } from "./choose-surface.ts";

/** What a client was given last. */
export interface ClientSurface {
  /** The name of its token, or `stdio`. */
  readonly caller: string;
  /** The name it gives itself; absent if it gave none. */
  readonly client?: string;
  readonly surface: Surface;
  readonly why: string;
  /** In ISO 8601. */
  readonly since: string;
}

export interface SurfaceRecord {
  /** `given` is what the client's token or address chose, if it did: two addresses of one client are two entries. */
  note(requester: Requester, chosen: ChosenSurface, given?: SurfaceSetting): void;
  list(): readonly ClientSurface[];
}

/** A client can claim any number of names. */
const mostKept = 100;

/** Remembers what each client was given, and logs when that changes. */
export function createSurfaceRecord(log: Log): SurfaceRecord {
  const kept = new Map<string, ClientSurface>();
  return {
    note({ principal, client }, { surface, why }, setting) {
      const key = JSON.stringify([principal, client.name, setting]);
      const known = kept.get(key);
      if (known?.surface === surface && known.why === why) return;
      kept.delete(key);
      const since = new Date().toISOString();
      const given = { caller: principal, ...(client.name === undefined ? {} : { client: client.name }), surface, why };
      kept.set(key, { ...given, since });
      if (kept.size > mostKept) kept.delete(kept.keys().next().value!);
      log.info("a client gets this surface", given);
    },
    list: () => [...kept.values()].toReversed(),
  };
}
