const beatMs = 50;
/** Below the time after which callers send a call again. */
const stallMs = 250;
const cautionMs = 100;

/** Notices that this process did not run for a while: it was stopped, or its event loop was blocked. */
export interface StallGuard {
  /** Whether messages that arrive now may have waited for long. */
  hasJustStalled(): boolean;
  close(): void;
}

export function createStallGuard(now = () => performance.now()): StallGuard {
  let lastBeat = now();
  let cautiousUntil = 0;
  const beat = (): void => {
    const time = now();
    if (time - lastBeat > stallMs) cautiousUntil = time + cautionMs;
    lastBeat = time;
  };
  const timer = setInterval(beat, beatMs).unref();
  return {
    hasJustStalled() {
      beat();
      return now() < cautiousUntil;
    },
    close: () => clearInterval(timer),
  };
}
