import type { WaitingCall } from "../../../src/catalog/guard/approvals-file.ts";
import type { ApprovalsList } from "../../../src/hub/control/hub-control.ts";

/** Whether the client still waits for the answer. */
export function isStillWaiting({ openUntil }: Pick<WaitingCall, "openUntil">): boolean {
  return openUntil !== undefined && Date.parse(openUntil) > Date.now();
}

/** What needs an answer, as the overview counts it: a call that was refused meanwhile stays in the list, but no client waits for it. */
export function countWaiting(list: Pick<ApprovalsList, "waiting" | "changed"> | undefined): number {
  return list === undefined ? 0 : list.waiting.filter(isStillWaiting).length + list.changed.length;
}
