import { orAborted } from "./wait.ts";

/** Runs one work after the other, in the order given. `signal` ends the wait for its turn, not the work. */
export type RunSerially = <T>(work: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

/** A work that fails does so for its caller alone: the next one runs all the same. */
export function createSerialQueue(): RunSerially {
  let last: Promise<unknown> = Promise.resolve();
  return (work, signal) => {
    const before = last;
    const turn = (signal === undefined ? before : orAborted(before, signal)).then(work);
    last = Promise.allSettled([before, turn]);
    return turn;
  };
}
