/** Strictest last. */
export type CallVerdict = "allow" | "ask" | "deny";

/** What a person may be offered beside a plain no. */
export type Choice = "once" | "always" | "never";

/** A person's answer; `no` refuses this call only. */
export type ApprovalAnswer = Choice | "no";

/** An answer that a door has got before the call came. */
export interface GivenApproval {
  readonly choice: ApprovalAnswer;
  /** Of the call and of why approval is needed, as the person saw them. Without it the person typed the call. */
  readonly hash?: string;
}

/** The verdict on one call by one part that has a say: a rule, a capability's consent, exec approvals, a pin. */
export interface Advice {
  /** A short name for the audit: `consent`, `exec approval`, `pin`. */
  readonly by: string;
  readonly verdict: CallVerdict;
  /** A clause that says why, without a full stop: the question and the denial show it. */
  readonly reason: string;
  /** What else the person must see before answering: the command line, the changes to a definition. */
  readonly detail?: string;
  /** Saves a lasting answer. Without it the person is only offered "once". */
  readonly remember?: (choice: "always" | "never") => Promise<void>;
  /** Whether only the user of this computer may answer, and not the calling client, whatever the rules say. */
  readonly ownerOnly?: boolean;
  /** Called when the call was approved, however long the answer lasts. */
  readonly approved?: () => void;
  /** What a question that no one answers comes to; a denial unless given. */
  readonly unanswered?: "allow";
  /** The command by which the user allows this for good. Shown to people only, never to the caller. */
  readonly grantCommand?: string;
}
