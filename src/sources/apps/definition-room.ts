import type { CountEvent } from "./app-event.ts";
import type { MemoryBudget } from "./memory-budget.ts";

/** The part of the budget that definitions of tools may take: half of it, so that there is always room for calls. */
export interface DefinitionRoom {
  /** Says whether there was room; a refusal is counted. */
  take(bytes: number): boolean;
  give(bytes: number): void;
}

export function createDefinitionRoom(budget: MemoryBudget, count: CountEvent): DefinitionRoom {
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
