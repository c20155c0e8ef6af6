/** A longer text is handled in slices: at once it would keep everyone else waiting. */
export const maxAtOnce = 1.5 * 1024 * 1024;

/** Characters that are handled between two looks at the clock: about a millisecond. */
export const sliceChars = 64 * 1024;

/** Long work in slices, between which the event loop serves others. */
export interface Turns {
  isOver(): boolean;
  /** Throws the reason of the signal if it was aborted meanwhile. */
  next(): Promise<void>;
}

export function createTurns(signal?: AbortSignal, sliceMs = 5): Turns {
  let end = performance.now() + sliceMs;
  return {
    isOver: () => performance.now() >= end,
    async next() {
      await nextTurn();
      signal?.throwIfAborted();
      end = performance.now() + sliceMs;
    },
  };
}

/** Work that yields wherever it may be interrupted. */
export type SlicedWork<T> = Generator<unknown, T, undefined>;

export async function inSlices<T>(work: SlicedWork<T>, signal?: AbortSignal): Promise<T> {
  const turns = createTurns(signal);
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    if (turns.isOver()) await turns.next();
  }
}

/** Runs the work to its end without a pause. */
export function atOnce<T>(work: SlicedWork<T>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

const waiting: (() => void)[] = [];

/**
 * Resolves when it is the caller's turn to go on with long work. In each round of the event loop it is the turn of one
 * caller, so that everything else waits for one slice of such work at most, however much of it there is.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(takeTurn);
  });
}

function takeTurn(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(takeTurn);
}
