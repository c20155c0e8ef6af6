/** How many requests are served at once. Streams that only listen do not count. */
export interface RequestSlots {
  enter(): boolean;
  leave(): void;
  readonly inside: number;
  /** From here on no new request is to be served; what belongs to those inside still comes in. */
  close(): void;
  readonly isClosed: boolean;
  /** Resolves when nobody is inside any more and the last answers are on their way, or after the time. */
  drained(withinMs: number): Promise<void>;
}

export function createRequestSlots(atMost: number): RequestSlots {
  let inside = 0;
  let isClosed = false;
  let onEmpty: (() => void) | undefined;
  return {
    enter() {
      if (inside >= atMost) return false;
      inside++;
      return true;
    },
    leave() {
      if (--inside === 0) onEmpty?.();
    },
    get inside() {
      return inside;
    },
    get isClosed() {
      return isClosed;
    },
    close() {
      isClosed = true;
    },
    drained(withinMs) {
      return new Promise((resolve) => {
        // Answers leave at the end of a turn: this comes after it.
        if (inside === 0) return void setImmediate(resolve);
        const timer = setTimeout(resolve, withinMs);
        onEmpty = () => {
          clearTimeout(timer);
          setImmediate(resolve);
        };
      });
    },
  };
}
