import { getHeapStatistics } from "node:v8";
import type { CountEvent } from "./app-event.ts";

/**
 * The bytes that all apps and their clients together may make this process hold: definitions, calls under way, what
 * waits to be written, what is half received. Pieces up to `smallPiece` pass uncounted where something else limits
 * their number, so that those who need little are served while others have taken all there is.
 */
export interface MemoryBudget {
  readonly held: number;
  readonly most: number;
  /** Says whether there was room for it, or could be made. */
  take(bytes: number): boolean;
  give(bytes: number): void;
  /** Called where there is no room: lets go of something, and says whether there was anything to let go of. */
  onPressure(relieve: () => boolean): void;
}

export const smallPiece = 16 * 1024;

/** An eighth of the heap, unless told: a byte on the wire is several in memory while it is being worked on. */
export function createMemoryBudget(most = getHeapStatistics().heap_size_limit / 8): MemoryBudget {
  const reliefs: (() => boolean)[] = [];
  let held = 0;
  return {
    get held() {
      return held;
    },
    most,
    take(bytes) {
      while (bytes > 0 && held + bytes > most) if (!reliefs.some((relieve) => relieve())) return false;
      held += bytes;
      return true;
    },
    give(bytes) {
      held -= bytes;
    },
    onPressure: (relieve) => void reliefs.push(relieve),
  };
}

/** The part of the budget that definitions of tools may take: half of it, so that there is always room for calls. */
export interface DefinitionQuota {
  /** Says whether there was room; a refusal is counted. */
  take(bytes: number): boolean;
  give(bytes: number): void;
}

export function createDefinitionQuota(budget: MemoryBudget, count: CountEvent): DefinitionQuota {
  let taken = 0;
  return {
    take(bytes) {
      const fits = taken + bytes <= budget.most / 2 && budget.take(bytes);
      if (fits) taken += bytes;
      else count("refused for memory");
      return fits;
    },
    give(bytes) {
      taken -= bytes;
      budget.give(bytes);
    },
  };
}
