import { busyOutcome, type CallOutcome } from "../call/call-bus.ts";

/** Calls that an app runs at the same time. */
const mostInFlight = 64;
/** Bytes that may wait for a slow app before calls are refused; at the next beat of the heart it is cut off. */
export const mostUnsent = 8 * 1024 * 1024;

export interface CallOrderFacts {
  readonly inFlight: number;
  /** Bytes that wait for the app already. */
  readonly unsent: number;
  /** Milliseconds that the caller still waits. */
  readonly left: number;
}

/** Why a call can't be passed on, if so: all of these come before it is accepted. */
export function judgeCallOrder({ inFlight, unsent, left }: CallOrderFacts): CallOutcome | undefined {
  if (inFlight >= mostInFlight) {
    return busyOutcome(`The app has ${inFlight} calls to do already. Try again when one is done.`);
  }
  if (unsent > mostUnsent) return busyOutcome("The app reads too slowly. Try again in a moment.");
  if (left <= 0) return { kind: "refused", code: "timeout", message: "There was no time left for the call." };
  return undefined;
}

/** Messages beside results, and their bytes, that an app may send in one beat of the heart. */
const mostMessages = 10_000;
const mostBytes = 16 * 1024 * 1024;

/** What an app says beside its results. A class, not a closure: there is one for every bridge. */
export class MessageQuota {
  #messages = 0;
  #bytes = 0;

  /** Says whether it was too much. */
  note(bytes: number): boolean {
    this.#messages++;
    this.#bytes += bytes;
    return this.#messages > mostMessages || this.#bytes > mostBytes;
  }

  beginBeat(): void {
    this.#messages = 0;
    this.#bytes = 0;
  }
}
