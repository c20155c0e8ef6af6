import { Fault } from "../../../core/fault.ts";
import { cancelledBy } from "../../../core/wait.ts";

/** A signal that ends with another one, or when nothing was heard for too long. */
export interface IdleTimeout extends Disposable {
  readonly signal: AbortSignal;
  /** Something was heard: the time starts anew. */
  heard(): void;
  /** Runs something during which silence is to be expected. */
  during<T>(work: () => Promise<T>): Promise<T>;
}

export function createIdleTimeout(outer: AbortSignal, idleMs: number): IdleTimeout {
  const end = new AbortController();
  const follow = (): void => end.abort(cancelledBy(outer));
  if (outer.aborted) follow();
  else outer.addEventListener("abort", follow, { once: true });
  let pauses = 0;
  const timer = setTimeout(() => {
    if (pauses > 0) return;
    const message = `Nothing was heard from the agent for ${Math.round(idleMs / 1000)} seconds; the order was stopped.`;
    end.abort(new Fault("timeout", message, { detail: { idleMs } }));
  }, idleMs);
  return {
    signal: end.signal,
    heard: () => void timer.refresh(),
    async during(work) {
      pauses++;
      try {
        return await work();
      } finally {
        pauses--;
        timer.refresh();
      }
    },
    [Symbol.dispose]() {
      clearTimeout(timer);
      outer.removeEventListener("abort", follow);
    },
  };
}
