/** Limits how many requests are served at once. Streams that only listen do not count. */
export interface RequestSlots {
  /** False if all slots are in use. */
  acquire(): boolean;
  release(): void;
  readonly inUse: number;
  /** From now on no new request may be served. What belongs to running ones still comes in. */
  close(): void;
  readonly isClosed: boolean;
  /** Resolves when every slot is free and the last answers are on their way, or after the time. */
  drained(withinMs: number): Promise<void>;
}

export function createRequestSlots(max: number): RequestSlots {
  let inUse = 0;
  let isClosed = false;
  let onEmpty: (() => void) | undefined;
  return {
    acquire() {
      if (inUse >= max) return false;
      inUse++;
      return true;
    },
    release() {
      if (--inUse === 0) onEmpty?.();
    },
    get inUse() {
      return inUse;
    },
    get isClosed() {
      return isClosed;
    },
    close() {
      isClosed = true;
    },
    drained(withinMs) {
      return new Promise((resolve) => {
        // Answers are sent at the end of a turn of the event loop; this comes after it.
        if (inUse === 0) return void setImmediate(resolve);
        const timer = setTimeout(resolve, withinMs);
        onEmpty = () => {
          clearTimeout(timer);
          setImmediate(resolve);
        };
      });
    },
  };
}
