import type { Log } from "../../../core/log.ts";
import type { Requester } from "../../../mcp/server/offer.ts";
import type { ChosenSurface, Surface, SurfaceSetting } from "./choose-surface.ts";

/** What a client gets. */
export interface GivenSurface {
  /** The name of its token, or `stdio`. */
  readonly caller: string;
  /** The name it gives itself; absent if it gave none. */
  readonly client?: string | undefined;
  readonly surface: Surface;
  readonly why: string;
}

/** What a client was given last. */
export interface ClientSurface extends GivenSurface {
  /** In ISO 8601. */
  readonly since: string;
}

export interface SurfaceRecord {
  /** `given` is what the client's token or address chose, if it did: two addresses of one client are two entries. */
  note(requester: Requester, chosen: ChosenSurface, given?: SurfaceSetting): void;
  /** For a client of another process, which relays to this one. */
  noteRelayed(given: GivenSurface): void;
  list(): readonly ClientSurface[];
}

const logTexts: Readonly<Record<Surface, string>> = {
  full: "a client gets all tools in its list",
  search: "a client gets three tools that find and call the others",
};
/** A client can claim any number of names. */
const maxKept = 100;
const maxTextLength = 200;

/** Remembers what each client was given, and logs and reports when that changes. */
export function createSurfaceRecord(log: Log, onGiven?: (given: GivenSurface) => void): SurfaceRecord {
  const kept = new Map<string, ClientSurface>();

  function keep(key: string, given: GivenSurface): void {
    const known = kept.get(key);
    if (known?.surface === given.surface && known.why === given.why) return;
    kept.delete(key);
    kept.set(key, { ...given, since: new Date().toISOString() });
    if (kept.size > maxKept) kept.delete(kept.keys().next().value!);
    const { surface, ...who } = given;
    log.info(logTexts[surface], who);
    onGiven?.(given);
  }

  return {
    note({ principal: caller, client: { name } }, { surface, why }, setting) {
      keep(JSON.stringify([caller, name, setting]), {
        caller,
        ...(name !== undefined && { client: name }),
        surface,
        why,
      });
    },
    noteRelayed({ caller, client, surface, why }) {
      const [by, name, because] = [caller, client, why].map((text) => text?.slice(0, maxTextLength));
      const given = { caller: by!, ...(name !== undefined && { client: name }), surface, why: because! };
      keep(JSON.stringify([by, name, "relayed"]), given);
    },
    list: () => [...kept.values()].toReversed(),
  };
}
