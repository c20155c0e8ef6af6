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
