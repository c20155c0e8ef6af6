import { countText } from "../../core/text/count-text.ts";
import type { AuditEntry } from "./audit-line.ts";
import type { AuditLoss } from "./audit.ts";

/** Whether the guard refused the call: nothing failed. */
export function isRefusal(outcome: string): boolean {
  return outcome === "denied" || outcome === "rate-limited";
}

/** At the end of why a call was asked about, if it ended before anyone answered. */
export const endedUnanswered = "ended before an answer";

export function isFailure(outcome: string): boolean {
  return outcome !== "ok" && !isRefusal(outcome);
}

/** How long a call ran, without the time in which it was judged or waited for approval. */
export function ranMs({ ms, waited = 0 }: Pick<AuditEntry, "ms" | "waited">): number {
  return Math.max(0, ms - waited);
}

/** Undefined if the audit is complete. */
export function auditLossText({ lines, isFailing }: AuditLoss): string | undefined {
  const missing = `${countText(lines, "call")} ${lines === 1 ? "is" : "are"} missing from the audit since the start`;
  if (!isFailing) return lines === 0 ? undefined : missing;
  return `the audit can't be written${lines === 0 ? "" : `: ${missing}`}`;
}
