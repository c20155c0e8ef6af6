import { countText } from "../../../core/text/count-text.ts";
import { Fault } from "../../../core/fault.ts";
import { cancelledBy } from "../../../core/wait.ts";

/** A signal that aborts with another one, or after too long a silence. */
export interface IdleTimeout extends Disposable {
  readonly signal: AbortSignal;
  /** Call at each sign of life. */
  restart(): void;
  /** Runs work during which silence is expected. */
  during<T>(work: () => Promise<T>): Promise<T>;
}

export function createIdleTimeout(outer: AbortSignal, idleMs: number): IdleTimeout {
  const controller = new AbortController();
  const abort = (): void => controller.abort(cancelledBy(outer));
  if (outer.aborted) abort();
  else outer.addEventListener("abort", abort, { once: true });
  let pauses = 0;
  const timer = setTimeout(() => {
    if (pauses > 0) return;
    const message = `The agent was silent for ${countText(Math.round(idleMs / 1000), "second")}, so the order was stopped.`;
    controller.abort(new Fault("timeout", message, { detail: { idleMs } }));
  }, idleMs);
  return {
    signal: controller.signal,
    restart: () => void timer.refresh(),
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
      outer.removeEventListener("abort", abort);
    },
  };
}
