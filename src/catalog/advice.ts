/** Strictest last. */
export type CallVerdict = "allow" | "ask" | "deny";

/** What a person may be offered besides a plain no. */
export type Choice = "once" | "always" | "never";

/** What a person said; `no` counts this time only. */
export type ApprovalAnswer = Choice | "no";

/** What somebody who has a say (a capability's consent, exec approvals, a pin) thinks of one call. */
export interface Advice {
  /** A short name for the audit: `consent`, `exec approval`, `pin`. */
  readonly by: string;
  readonly verdict: CallVerdict;
  /** A sentence that says why, without a full stop: it is shown with the question and with the denial. */
  readonly reason: string;
  /** What else the person who is asked must see: the command line, the difference to before. */
  readonly detail?: string;
  /** A sentence that says how to allow it. */
  readonly howTo?: string;
  /** Takes a lasting answer. Where this is missing the person is only offered "once". */
  readonly remember?: (choice: "always" | "never") => Promise<void>;
}
