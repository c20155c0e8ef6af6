import { nextTurn } from "../../core/next-turn.ts";

/** Long work in slices, between which the event loop serves others. */
export interface Turns {
  isOver(): boolean;
  next(): Promise<void>;
}

export function createTurns(sliceMs = 5): Turns {
  let end = performance.now() + sliceMs;
  return {
    isOver: () => performance.now() >= end,
    async next() {
      await nextTurn();
      end = performance.now() + sliceMs;
    },
  };
}
