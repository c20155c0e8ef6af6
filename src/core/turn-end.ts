let waiting: (() => void)[] = [];

/**
 * Runs it when everything that has arrived in this turn of the event loop has been read. Meant for writes to sockets:
 * each wakes whoever reads at the other end, so that reading and writing by turns makes both sides wake and sleep for
 * every message, and writing together for many of them. It must not throw.
 */
export function atTurnEnd(run: () => void): void {
  if (waiting.push(run) === 1) setImmediate(endTurn);
}

/** For those who can't wait: all of it is run now. */
export function endTurn(): void {
  const all = waiting;
  waiting = [];
  for (const run of all) run();
}
