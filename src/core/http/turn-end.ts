let pending: (() => void)[] = [];
let preparations: (() => void)[] = [];
let isScheduled = false;

/**
 * Runs the function when everything that has arrived in this turn of the event loop has been read. For writes to sockets:
 * each write wakes the reader at the other end, so alternating reads and writes would wake both sides for every message,
 * while writing together wakes them once for many. The function must not throw.
 */
export function atTurnEnd(run: () => void): void {
  pending.push(run);
  schedule();
}

/**
 * Runs the function before any answer leaves this process: at the end of this turn, or before that if something is sent
 * at once. The function must not throw.
 */
export function beforeSending(run: () => void): void {
  preparations.push(run);
  schedule();
}

/** Whatever sends an answer calls this right before it does. */
export function prepareToSend(): void {
  if (preparations.length === 0) return;
  const all = preparations;
  preparations = [];
  for (const run of all) run();
}

function schedule(): void {
  if (isScheduled) return;
  isScheduled = true;
  setImmediate(endTurn);
}

function endTurn(): void {
  isScheduled = false;
  prepareToSend();
  if (pending.length === 0) return;
  const all = pending;
  pending = [];
  for (const run of all) run();
}
