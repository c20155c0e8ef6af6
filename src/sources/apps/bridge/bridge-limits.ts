import { countText } from "../../../core/text/count-text.ts";
import { busyOutcome, type CallOutcome } from "../call/call-bus.ts";

/** Bytes of the largest message that an app may send: a result with 50 MB of media in base64. */
export const maxMessageBytes = 72 * 1024 * 1024;
/** Messages beside results, and their bytes, that an app may send between two heartbeats. */
const maxMessages = 10_000;
const maxBytes = 16 * 1024 * 1024;
/** Calls that an app runs at the same time. */
const maxInFlight = 64;
/** Bytes that may wait for a slow app. Above this, calls are refused, and the next heartbeat disconnects the app. */
export const maxUnsent = 8 * 1024 * 1024;
/** Characters of the ids and texts that an app may send about a call. */
export const maxIdLength = 256;
export const maxProgressMessageLength = 1000;
export const maxLoggerNameLength = 200;

export interface CallOrderFacts {
  readonly inFlight: number;
  /** Bytes that already wait for the app. */
  readonly unsent: number;
  /** Milliseconds that the caller still waits. */
  readonly left: number;
}

/** Why a call can't be sent to the app, undefined if it can. All of these come before the call is accepted. */
export function judgeCallOrder({ inFlight, unsent, left }: CallOrderFacts): CallOutcome | undefined {
  if (inFlight >= maxInFlight) {
    return busyOutcome(`The app is already running ${countText(inFlight, "call")}. Try again when one has finished.`);
  }
  if (unsent > maxUnsent) return busyOutcome("The app reads too slowly. Try again in a moment.");
  if (left <= 0) return { kind: "refused", code: "timeout", message: "There was no time left for the call." };
  return undefined;
}

/** Counts the messages of an app beside its results. A class, not a closure: there is one for every bridge. */
export class MessageQuota {
  #messages = 0;
  #bytes = 0;

  /** Returns true if that was too much. */
  add(bytes: number): boolean {
    this.#messages++;
    this.#bytes += bytes;
    return this.#messages > maxMessages || this.#bytes > maxBytes;
  }

  /** At each heartbeat. */
  reset(): void {
    this.#messages = 0;
    this.#bytes = 0;
  }
}
