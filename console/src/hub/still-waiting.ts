import type { WaitingCall } from "../../../src/catalog/guard/approvals-file.ts";
import type { ApprovalsList } from "../../../src/hub/control/approvals.ts";

/** Whether the client still waits for the answer. */
export function isStillWaiting({ openUntil }: Pick<WaitingCall, "openUntil">): boolean {
  return openUntil !== undefined && Date.parse(openUntil) > Date.now();
}

/** Calls that no client waits for any more, those included whose time ran out since the list was read. The latest last. */
export function refusedOf({ waiting, refused }: Pick<ApprovalsList, "waiting" | "refused">): readonly WaitingCall[] {
  return [...refused, ...waiting.filter((call) => !isStillWaiting(call))];
}

/** What needs an answer, as the overview counts it. */
export function countWaiting(list: Pick<ApprovalsList, "waiting" | "changed"> | undefined): number {
  return list === undefined ? 0 : list.waiting.filter(isStillWaiting).length + list.changed.length;
}
