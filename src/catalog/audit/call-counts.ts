import type { Caller } from "../caller.ts";
import type { AuditEntry } from "./audit-line.ts";
import { isRefusal } from "./call-words.ts";

/** One caller since the start of the process. */
export interface CallerCount extends Pick<Caller, "door" | "token" | "client"> {
  readonly calls: number;
  readonly failed: number;
  /** Those that the guard refused. */
  readonly refused: number;
  /** When its last call ended, in milliseconds since the epoch. */
  readonly lastAt: number;
}

/** Who called how often. It lives as long as the process; the audit keeps every call. */
export interface CallCounts {
  note(entry: AuditEntry): void;
  /** The latest caller first. */
  read(): CountSums & { readonly callers: readonly CallerCount[] };
}

type CountSums = Pick<CallerCount, "calls" | "failed" | "refused">;

interface MutableCount {
  readonly caller: Pick<Caller, "door" | "token" | "client">;
  calls: number;
  failed: number;
  refused: number;
  lastAt: number;
}

/** Clients name themselves, so one could bring any number of names. */
const maxCallers = 200;
const maxNameLength = 100;

export function createCallCounts(): CallCounts {
  const counts = new Map<string, MutableCount>();
  return {
    note({ caller: { door, token, client }, outcome, at, ms }) {
      const count = counts.get(`${door}\n${token}\n${client}`) ?? add(door, token, client);
      count.calls++;
      if (outcome !== "ok") count[isRefusal(outcome) ? "refused" : "failed"]++;
      count.lastAt = at + ms;
    },
    read() {
      const callers = [...counts.values()]
        .map(({ caller, ...rest }) => ({ ...caller, ...rest }))
        .toSorted((a, b) => b.lastAt - a.lastAt);
      const sum = (of: keyof CountSums): number => callers.reduce((all, caller) => all + caller[of], 0);
      return { calls: sum("calls"), failed: sum("failed"), refused: sum("refused"), callers };
    },
  };

  function add(door: Caller["door"], token: string | undefined, client: string | undefined): MutableCount {
    const isFull = counts.size >= maxCallers;
    // All later ones of a door are counted together.
    const key = isFull ? door : `${door}\n${token}\n${client}`;
    const known = counts.get(key);
    if (known !== undefined) return known;
    const names = isFull
      ? {}
      : {
          ...(token !== undefined && { token: token.slice(0, maxNameLength) }),
          ...(client !== undefined && { client: client.slice(0, maxNameLength) }),
        };
    const count = { caller: { door, ...names }, calls: 0, failed: 0, refused: 0, lastAt: 0 };
    counts.set(key, count);
    return count;
  }
}
