import { cancelledBy } from "../../../core/wait.ts";

/** Limits how many bytes are sent at once: a large request is in memory several times while it is being sent. */
export interface ByteSemaphore {
  /** Runs the work when the bytes fit, in the order of the calls. Work that is larger than the limit runs alone. */
  run<T>(bytes: number, signal: AbortSignal, work: () => Promise<T>): Promise<T>;
}

interface Waiter {
  readonly bytes: number;
  enter(): void;
}

export function createByteSemaphore(maxBytes: number): ByteSemaphore {
  const waiting: Waiter[] = [];
  let used = 0;

  const fits = (bytes: number): boolean => used === 0 || used + bytes <= maxBytes;

  function admit(): void {
    while (waiting[0] !== undefined && fits(waiting[0].bytes)) {
      const next = waiting.shift()!;
      used += next.bytes;
      next.enter();
    }
  }

  function enter(bytes: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const cancel = (): void => {
        waiting.splice(waiting.indexOf(waiter), 1);
        reject(cancelledBy(signal));
      };
      const waiter: Waiter = {
        bytes,
        enter() {
          signal.removeEventListener("abort", cancel);
          resolve();
        },
      };
      signal.addEventListener("abort", cancel, { once: true });
      waiting.push(waiter);
      admit();
    });
  }

  return {
    async run(bytes, signal, work) {
      if (bytes === 0) return work();
      if (signal.aborted) throw cancelledBy(signal);
      await enter(bytes, signal);
      try {
        return await work();
      } finally {
        used -= bytes;
        admit();
      }
    },
  };
}
