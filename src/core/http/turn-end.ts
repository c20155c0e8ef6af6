let pending: (() => void)[] = [];

/**
 * Runs the function when everything that has arrived in this turn of the event loop has been read. For writes to sockets:
 * each write wakes the reader at the other end, so alternating reads and writes would wake both sides for every message,
 * while writing together wakes them once for many. The function must not throw.
 */
export function atTurnEnd(run: () => void): void {
  if (pending.push(run) === 1) setImmediate(endTurn);
}

function endTurn(): void {
  const all = pending;
  pending = [];
  for (const run of all) run();
}
