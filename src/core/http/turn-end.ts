let pending: (() => void)[] = [];

/**
 * Runs it when everything that has arrived in this turn of the event loop has been read. Meant for writes to sockets:
 * each wakes whoever reads at the other end, so that reading and writing by turns makes both sides wake and sleep for
 * every message, and writing together for many of them. It must not throw.
 */
export function atTurnEnd(run: () => void): void {
  if (pending.push(run) === 1) setImmediate(endTurn);
}

function endTurn(): void {
  const all = pending;
  pending = [];
  for (const run of all) run();
}
