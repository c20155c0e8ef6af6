import { cancelledBy } from "../../../core/wait.ts";

/** Lets large requests through one after the other: each is in memory several times over while it is being sent. */
export interface ByteSemaphore {
  /** Runs the work once there is room for so many bytes; what is larger than all the room has it to itself. */
  pass<T>(bytes: number, signal: AbortSignal, work: () => Promise<T>): Promise<T>;
}

interface Waiter {
  readonly bytes: number;
  enter(): void;
}

export function createByteSemaphore(roomBytes: number): ByteSemaphore {
  const waiting: Waiter[] = [];
  let used = 0;

  const hasRoom = (bytes: number): boolean => used === 0 || used + bytes <= roomBytes;

  function admit(): void {
    while (waiting[0] !== undefined && hasRoom(waiting[0].bytes)) {
      const next = waiting.shift()!;
      used += next.bytes;
      next.enter();
    }
  }

  function enter(bytes: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        waiting.splice(waiting.indexOf(place), 1);
        reject(cancelledBy(signal));
      };
      const place: Waiter = {
        bytes,
        enter() {
          signal.removeEventListener("abort", leave);
          resolve();
        },
      };
      signal.addEventListener("abort", leave, { once: true });
      waiting.push(place);
      admit();
    });
  }

  return {
    async pass(bytes, signal, work) {
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
