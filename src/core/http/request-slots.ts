import { Fault } from "../fault.ts";
import { createShares, type ShareRules } from "./shares.ts";

/** Limits how many requests are served at once, in all and for each holder. Streams that only listen do not count. */
export interface RequestSlots {
  /** Takes a slot for this holder (a token, or a session). Faults with `busy` if there is none for it. */
  acquire(holder: string): void;
  release(holder: string): void;
  readonly inUse: number;
  /** From now on no new request may be served. What belongs to running ones still comes in. */
  close(): void;
  readonly isClosed: boolean;
  /** Resolves when every slot is free and the last answers are on their way, or after the time. */
  drained(withinMs: number): Promise<void>;
}

/** With a number, any holder may use all slots. */
export function createRequestSlots(rules: number | ShareRules): RequestSlots {
  const slots = createShares(typeof rules === "number" ? { max: rules, maxOfOne: rules } : rules);
  let isClosed = false;
  let onEmpty: (() => void) | undefined;
  return {
    acquire(holder) {
      const refusal = slots.take(holder);
      if (refusal === undefined) return;
      const { max, maxOfOne } = slots.rules;
      const why =
        refusal === "share" && maxOfOne < max
          ? `This caller has ${maxOfOne} requests in flight, which is its share.`
          : "The server has too many requests in flight.";
      throw new Fault("busy", `${why} Try again in a second.`);
    },
    release(holder) {
      slots.give(holder);
      if (slots.taken === 0) onEmpty?.();
    },
    get inUse() {
      return slots.taken;
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
        if (slots.taken === 0) return void setImmediate(resolve);
        const timer = setTimeout(resolve, withinMs);
        onEmpty = () => {
          clearTimeout(timer);
          setImmediate(resolve);
        };
      });
    },
  };
}
