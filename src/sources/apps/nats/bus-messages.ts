import type { AskAnswer, CallNews, CallOrder, CallOutcome } from "../call/call-bus.ts";
import type { BulkOffer } from "./bulk.ts";

/** A call on its way to whichever instance holds the bridge. Clocks of machines differ, so it says how long is left. */
export type OrderMessage =
  | { readonly order: Omit<CallOrder, "deadline">; readonly leftMs: number }
  /** The message above, to be read in pieces. */
  | { readonly bulk: BulkOffer }
  /** Is anybody there? */
  | { readonly probe: true };

/** What the holder says to the caller of one sending. */
export type ReplyMessage =
  | { readonly kind: "here" }
  | { readonly kind: "accepted"; readonly instance: string }
  | { readonly kind: "news"; readonly news: CallNews }
  | { readonly kind: "settled"; readonly outcome: CallOutcome }
  /** This sending was left out and never runs. */
  | { readonly kind: "skipped" }
  /** The outcome, to be read in pieces. */
  | { readonly kind: "bulk"; readonly bulk: BulkOffer };

/** What the caller says to the holder of one sending, which goes by the name of its reply subject. */
export type ControlMessage = { readonly sending: string } & (
  | { readonly kind: "cancel"; readonly reason: string }
  | { readonly kind: "answer"; readonly askId: string; readonly answer: AskAnswer }
  /** The caller may have missed the outcome: say it again. */
  | { readonly kind: "again" }
);

/** Which instance holds a session's bridge. The highest epoch is right. */
export interface Claim {
  /** Empty if the first one is yet to come. */
  readonly instance: string;
  readonly epoch: number;
  /** Until when its instance, or the next one, is expected to hold the bridge, in milliseconds since the epoch. */
  readonly movingUntil?: number;
}

/** What an instance says about itself. */
export interface InstanceFacts {
  readonly instance: string;
  readonly host: string;
  readonly pid: number;
  /** Bridges that it holds. */
  readonly bridges: number;
  /** Calls that it waits for, and calls that it runs for others. */
  readonly sent: number;
  readonly served: number;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
}

/** The names of all subjects. Session ids and instance ids have no characters that mean something in a subject. */
export function subjectsOf(prefix: string) {
  return {
    call: (sessionId: string) => `${prefix}.call.${sessionId}`,
    reply: (instance: string, sending: string) => `${prefix}.reply.${instance}.${sending}`,
    ping: (instance: string) => `${prefix}.instance.${instance}.ping`,
    evict: (instance: string) => `${prefix}.instance.${instance}.evict`,
    control: (instance: string) => `${prefix}.instance.${instance}.control`,
    /** Asks every instance for its `InstanceFacts`. */
    who: `${prefix}.who`,
    /** What each instance let through its rate limits. */
    usage: `${prefix}.usage`,
    /** Which session was changed or removed. */
    changes: `${prefix}.changes`,
    /** For callers that don't know yet who holds the bridge. */
    controlAll: `${prefix}.control`,
  };
}

export type Subjects = ReturnType<typeof subjectsOf>;
