import { getHeapStatistics } from "node:v8";
import { Fault } from "../../core/fault.ts";
import type { CountEvent } from "./app-event.ts";

/**
 * The memory that all apps and their clients together may take in this process: tool definitions, running calls, data
 * that waits to be written, messages that have arrived in part. Pieces of up to `smallPiece` bytes are not counted where
 * something else limits their number, so that small requests are served even when the budget is used up.
 */
export interface MemoryBudget {
  readonly held: number;
  readonly limit: number;
  /** Returns false if there is no room and none can be made. */
  take(bytes: number): boolean;
  give(bytes: number): void;
  /** Adds a function that is called when there is no room. It frees something, or returns false if it has nothing to free. */
  onPressure(relieve: () => boolean): void;
}

export const smallPiece = 16 * 1024;

export const memoryLimitMessage = "The proxy is at its memory limit. Try again in a moment.";

/** By default an eighth of the heap: one byte on the wire takes several in memory while it is processed. */
export function createMemoryBudget(limit = getHeapStatistics().heap_size_limit / 8): MemoryBudget {
  const reliefs: (() => boolean)[] = [];
  let held = 0;
  return {
    get held() {
      return held;
    },
    limit,
    take(bytes) {
      while (bytes > 0 && held + bytes > limit) if (!reliefs.some((relieve) => relieve())) return false;
      held += bytes;
      return true;
    },
    give(bytes) {
      held -= bytes;
    },
    onPressure: (relieve) => void reliefs.push(relieve),
  };
}

/** The part of the budget for tool definitions: half of it, so that there is always room for calls. */
export interface DefinitionQuota {
  /** Returns false, and counts a refusal, if there is no room. */
  take(bytes: number): boolean;
  /** Faults if there is no room. */
  reserve(bytes: number): void;
  give(bytes: number): void;
}

export function createDefinitionQuota(budget: MemoryBudget, count: CountEvent): DefinitionQuota {
  let taken = 0;
  return {
    take,
    reserve(bytes) {
      if (take(bytes)) return;
      throw new Fault(
        "busy",
        "The proxy has no memory left for more tool definitions. Delete sessions, or try again later.",
      );
    },
    give(bytes) {
      taken -= bytes;
      budget.give(bytes);
    },
  };

  function take(bytes: number): boolean {
    const fits = taken + bytes <= budget.limit / 2 && budget.take(bytes);
    if (fits) taken += bytes;
    else count("refused for memory");
    return fits;
  }
}
