import { BusyFault } from "../../mcp/messages/json-rpc.ts";
import { cancelledBy } from "../../core/wait.ts";

/** Limits how many capability calls run at once, whatever door they came through. */
export interface CallSlots {
  /** Waits a moment for a slot. Faults if there is none by then; over HTTP that is a 503. */
  acquire(signal: AbortSignal): Promise<() => void>;
  readonly inUse: number;
}

/** How long a call waits for a slot. */
const waitMs = 50;
/** How many calls may wait. More than that have no chance of a slot in time. */
const maxWaiting = 256;

/** The limit is read whenever a call wants a slot or gives one back. */
export function createCallSlots(limit: () => number): CallSlots {
  const waiting = new Set<() => void>();
  let inUse = 0;

  function take(): () => void {
    inUse++;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      inUse--;
      const [next] = waiting;
      if (inUse < limit()) next?.();
    };
  }

  return {
    async acquire(signal) {
      if (signal.aborted) throw cancelledBy(signal);
      const max = limit();
      if (inUse < max) return take();
      if (waiting.size >= maxWaiting) throw busy(max);
      return new Promise((resolve, reject) => {
        const leave = (): void => {
          clearTimeout(timer);
          waiting.delete(enter);
          signal.removeEventListener("abort", abort);
        };
        const enter = (): void => {
          leave();
          resolve(take());
        };
        const abort = (): void => {
          leave();
          reject(cancelledBy(signal));
        };
        const timer = setTimeout(() => {
          leave();
          reject(busy(max));
        }, waitMs);
        signal.addEventListener("abort", abort, { once: true });
        waiting.add(enter);
      });
    },
    get inUse() {
      return inUse;
    },
  };
}

const busy = (max: number): BusyFault =>
  new BusyFault(`This computer already runs ${max} calls, which is its limit. Try again in a second.`);
