import { Fault } from "../../core/fault.ts";
import { isRecord } from "../../core/is-record.ts";
import type { CallerScope } from "./caller-scope.ts";

/** A lasting answer of a person: this caller may always, or never, use this tool. */
export interface Approval {
  /** The name in the catalog when it was given: for people. */
  readonly name: string;
  readonly source: string;
  /** The name the source itself has for it. */
  readonly tool: string;
  readonly caller: CallerScope;
  readonly choice: "always" | "never";
  readonly at: string;
}

/** A call that was turned away because nobody was there to allow it. */
export interface WaitingCall extends Omit<Approval, "choice"> {
  readonly reason: string;
}

export interface ApprovalsFile {
  readonly approvals: readonly Approval[];
  readonly waiting: readonly WaitingCall[];
}

export function parseApprovals(value: unknown): ApprovalsFile {
  if (isRecord(value) && isListOf(value.approvals, isApproval) && isListOf(value.waiting, isWaiting)) {
    return { approvals: value.approvals, waiting: value.waiting };
  }
  throw new Fault("corrupt", "This is no file of approvals.");
}

function isListOf<T>(value: unknown, isItem: (item: unknown) => item is T): value is T[] {
  return Array.isArray(value) && value.every(isItem);
}

const isApproval = (value: unknown): value is Approval =>
  isCall(value) && "choice" in value && (value.choice === "always" || value.choice === "never");

const isWaiting = (value: unknown): value is WaitingCall =>
  isCall(value) && "reason" in value && typeof value.reason === "string";

function isCall(value: unknown): value is object {
  return isRecord(value) && areStrings(value.name, value.source, value.tool, value.at) && isRecord(value.caller);
}

function areStrings(...values: readonly unknown[]): boolean {
  return values.every((value) => typeof value === "string");
}
