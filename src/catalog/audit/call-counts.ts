import type { Caller } from "../caller.ts";
import type { AuditEntry } from "./audit-line.ts";

/** One caller since the start of the process. */
export interface CallerCount extends Pick<Caller, "door" | "token" | "client"> {
  readonly calls: number;
  /** Those that did not end with `ok`. */
  readonly failed: number;
  /** When its last call ended, in milliseconds since the epoch. */
  readonly lastAt: number;
}

/** Who called how often. It lives as long as the process; the audit keeps every call. */
export interface CallCounts {
  note(entry: AuditEntry): void;
  /** The latest caller first. */
  read(): { readonly calls: number; readonly failed: number; readonly callers: readonly CallerCount[] };
}

interface MutableCount {
  readonly caller: Pick<Caller, "door" | "token" | "client">;
  calls: number;
  failed: number;
  lastAt: number;
}

/** Clients name themselves, so one could bring any number of names. */
const mostCallers = 200;
const longestName = 100;

export function createCallCounts(): CallCounts {
  const counts = new Map<string, MutableCount>();
  return {
    note({ caller: { door, token, client }, outcome, at, ms }) {
      const count = counts.get(`${door}\n${token}\n${client}`) ?? add(door, token, client);
      count.calls++;
      if (outcome !== "ok") count.failed++;
      count.lastAt = at + ms;
    },
    read() {
      const callers = [...counts.values()]
        .map(({ caller, ...rest }) => ({ ...caller, ...rest }))
        .toSorted((a, b) => b.lastAt - a.lastAt);
      const sum = (of: "calls" | "failed"): number => callers.reduce((all, caller) => all + caller[of], 0);
      return { calls: sum("calls"), failed: sum("failed"), callers };
    },
  };

  function add(door: Caller["door"], token: string | undefined, client: string | undefined): MutableCount {
    const isFull = counts.size >= mostCallers;
    // All later ones of a door are counted together.
    const key = isFull ? door : `${door}\n${token}\n${client}`;
    const known = counts.get(key);
    if (known !== undefined) return known;
    const names = isFull
      ? {}
      : {
          ...(token !== undefined && { token: token.slice(0, longestName) }),
          ...(client !== undefined && { client: client.slice(0, longestName) }),
        };
    const count = { caller: { door, ...names }, calls: 0, failed: 0, lastAt: 0 };
    counts.set(key, count);
    return count;
  }
}
