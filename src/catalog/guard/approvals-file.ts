import { Fault } from "../../core/fault.ts";
import { isRecord } from "../../core/is-record.ts";
import type { ApprovalAnswer } from "../advice.ts";
import { type CallerScope, callerScopeKey } from "../caller.ts";
import type { Tool } from "../../mcp/messages/tool.ts";
import type { Source } from "../source.ts";
import { hashParts, toolParts } from "./pin-definition.ts";

/** Which of several things of the same name is meant. */
export interface Origin {
  /** The configuration that the call came from; absent for the one of the state folder. */
  readonly config?: string;
  /** What the source is, if its name could be given to another one. */
  readonly identity?: string;
}

/** Which call a question is about. */
export interface QuestionedCall extends Origin {
  /** The name in the catalog, or the method of a read; for display. */
  readonly name: string;
  readonly source: string;
  /** The source's own name for the tool, since a name in the catalog could later belong to another tool. */
  readonly tool: string;
  readonly caller: CallerScope;
  /** Of the arguments and of why approval is needed: a person's answer is about both. */
  readonly hash: string;
}

/** A call that waits for approval, or that was refused because no one approved it. */
export interface WaitingCall extends QuestionedCall {
  /** A number that is never used again, so that an answer can't reach another call. */
  readonly id: string;
  /** The name that the client gives itself. */
  readonly client?: string;
  /** For display: secrets are masked, and the length is bounded. */
  readonly arguments: string;
  /** Whether `arguments`, `reason` and `detail` are all there is to see. If not, the call can't be approved from here. */
  readonly isWhole?: boolean;
  /** Why approval is needed. */
  readonly reason: string;
  /** What else must be seen before answering, such as the changes to a definition. */
  readonly detail?: string;
  /** The command by which the user allows this for good. */
  readonly grantCommand?: string;
  /** Whether an answer can last: not for reads, nor if something else than policy wants to be asked each time. */
  readonly lasting: boolean;
  readonly at: string;
  /** Until then the call itself waits. After that, or without it, an approval counts for the same call when it is made again. */
  readonly openUntil?: string;
}

/** A waiting call with the answer that it has not taken up yet. */
export interface AnsweredCall extends QuestionedCall {
  readonly id: string;
  readonly choice: ApprovalAnswer;
  /** How the person answered; at a terminal unless given. */
  readonly by?: Exclude<AnswerWay, "terminal">;
  readonly at: string;
  /** Until then only the call that waited may take it. */
  readonly openUntil?: string;
}

/** A lasting answer: this caller may always, or never, use this tool. */
export interface Approval extends Origin {
  /** The name in the catalog when the answer was given, for display. Absent, with `source` and `tool`, for every tool. */
  readonly name?: string;
  readonly source?: string;
  readonly tool?: string;
  /** Absent for every caller. */
  readonly caller?: CallerScope;
  readonly choice: "always" | "never";
  readonly at: string;
}

export interface ApprovalsFile {
  readonly approvals: readonly Approval[];
  readonly waiting: readonly WaitingCall[];
  readonly answered: readonly AnsweredCall[];
  readonly lastId: number;
}

export const emptyApprovals: ApprovalsFile = { approvals: [], waiting: [], answered: [], lastId: 0 };

type Covered = Pick<Approval, "source" | "tool" | "caller">;

/** What a lasting answer is about, by its names. */
export const coverKey = ({ source, tool, caller }: Covered): string =>
  JSON.stringify([source, tool, caller && callerScopeKey({ ...caller, tokenKey: undefined })]);

/** What a lasting answer covers. An answer of an earlier version has no key of a token, so a token asks again. */
export const approvalKey = (approval: Covered & Origin): string =>
  JSON.stringify([approval.config, approval.identity, approval.caller?.tokenKey, coverKey(approval)]);

export const callKey = (call: QuestionedCall): string => JSON.stringify([approvalKey(call), call.name, call.hash]);

export function isAfter(time: string | undefined, now: number): boolean {
  return time !== undefined && Date.parse(time) > now;
}

const maxApprovals = 5000;
const maxWaiting = 200;
const maxWaitingPerCaller = 20;
/** How long a refused call stays in the list, and how long an approval waits for the call to be made again. */
const waitingMs = 24 * 3_600_000;
const answeredMs = 3_600_000;

export function without(content: ApprovalsFile, id: string): ApprovalsFile {
  return {
    ...content,
    waiting: content.waiting.filter((call) => call.id !== id),
    answered: content.answered.filter((call) => call.id !== id),
  };
}

/** Calls that the answer covers are no longer listed, unless they still wait: those take it up themselves. */
export function withApproval(content: ApprovalsFile, added: Approval, now: number): ApprovalsFile {
  const key = approvalKey(added);
  const isCovered = (call: WaitingCall): boolean =>
    call.lasting && !isAfter(call.openUntil, now) && approvalKey(coveredBy(call, added)) === key;
  return {
    ...content,
    approvals: [...content.approvals.filter((approval) => approvalKey(approval) !== key), added].slice(-maxApprovals),
    waiting: content.waiting.filter((call) => !isCovered(call)),
  };
}

/** The part of a call that an answer is about: every tool of a caller, every caller of a tool, or both. */
export function coveredBy(
  { config, identity, source, tool, caller }: QuestionedCall,
  { tool: isForTool, caller: isForCaller }: { readonly tool?: unknown; readonly caller?: unknown },
): Covered & Origin {
  return {
    ...(config === undefined ? {} : { config }),
    ...(isForTool === undefined ? {} : { source, tool, ...(identity === undefined ? {} : { identity }) }),
    ...(isForCaller === undefined ? {} : { caller }),
  };
}

/** Without what is too old or too much. A caller's many calls don't push out those of others. */
export function bounded(content: ApprovalsFile, now: number): ApprovalsFile {
  const isYoung = (at: string, forMs: number): boolean => isAfter(at, now - forMs);
  const counts = new Map<string, number>();
  const seen = new Set<string>();
  let total = 0;
  const isKept = (call: WaitingCall): boolean => {
    if (isAfter(call.openUntil, now)) return true;
    const caller = callerScopeKey(call.caller);
    const count = (counts.get(caller) ?? 0) + 1;
    counts.set(caller, count);
    const isSeen = seen.has(callKey(call));
    seen.add(callKey(call));
    return !isSeen && isYoung(call.at, waitingMs) && count <= maxWaitingPerCaller && ++total <= maxWaiting;
  };
  return {
    ...content,
    waiting: content.waiting.toReversed().filter(isKept).toReversed(),
    answered: content.answered.filter(({ at }) => isYoung(at, answeredMs)),
  };
}

/**
 * The first format had lasting answers for one tool and caller, which mean the same now, and waiting calls without their
 * arguments. Those can't be shown to a person, so they are left out: the next such call asks.
 */
export function parseApprovals(value: unknown): ApprovalsFile {
  if (isRecord(value)) {
    const { approvals, waiting, answered = [], lastId = 0 } = value;
    if (isListOf(approvals, isApproval) && Array.isArray(waiting) && isListOf(answered, isAnswered)) {
      if (typeof lastId === "number") return { approvals, waiting: waiting.filter(isWaiting), answered, lastId };
    }
  }
  throw new Fault("corrupt", "This is not a list of approvals.");
}

function isListOf<T>(value: unknown, isItem: (item: unknown) => item is T): value is T[] {
  return Array.isArray(value) && value.every(isItem);
}

function isApproval(value: unknown): value is Approval {
  if (!isRecord(value)) return false;
  const { name, source, tool, caller, choice, at } = value;
  if (!isOrigin(value)) return false;
  const isForTool = areStrings(name, source, tool);
  const isForEveryTool = name === undefined && source === undefined && tool === undefined;
  const isForCaller = isRecord(caller) || (caller === undefined && isForTool);
  return (isForTool || isForEveryTool) && isForCaller && (choice === "always" || choice === "never") && areStrings(at);
}

function isWaiting(value: unknown): value is WaitingCall {
  if (!isQuestioned(value)) return false;
  const { arguments: shown, reason, lasting, grantCommand = "" }: Partial<WaitingCall> = value;
  return areStrings(shown, reason, grantCommand) && typeof lasting === "boolean";
}

function isAnswered(value: unknown): value is AnsweredCall {
  return isQuestioned(value) && "choice" in value && answers.has(value.choice);
}

const answers: ReadonlySet<unknown> = new Set<ApprovalAnswer>(["once", "always", "never", "no"]);

function isOrigin({ config = "", identity = "" }: Readonly<Record<string, unknown>>): boolean {
  return areStrings(config, identity);
}

function isQuestioned(value: unknown): value is QuestionedCall {
  if (!isRecord(value) || !isOrigin(value)) return false;
  const { id, name, source, tool, caller, hash, at, openUntil } = value;
  return (
    areStrings(id, name, source, tool, hash, at) &&
    isRecord(caller) &&
    (openUntil === undefined || areStrings(openUntil))
  );
}

function areStrings(...values: readonly unknown[]): boolean {
  return values.every((value) => typeof value === "string");
}

/** How a person answered a call in the list: `clawport approve` at a terminal, a session of the console, or a notification. */
export type AnswerWay = "terminal" | "console" | "desktop";

/** `caller`: every tool that this caller uses. `tool`: every caller of this tool. */
export type Widening = "caller" | "tool";

export function lastingAnswer(
  call: WaitingCall,
  choice: ApprovalAnswer,
  widened: Widening | undefined,
  at: string,
): Approval | undefined {
  const lasts = widened === undefined ? choice : "always";
  if (lasts !== "always" && lasts !== "never") return undefined;
  if (!call.lasting)
    throw new Fault("usage", `Call ${call.id} can only be approved once, so no answer to it can last.`);
  const { name, tool, caller } = call;
  const covered = coveredBy(call, { ...(widened !== "caller" && { tool }), ...(widened !== "tool" && { caller }) });
  return { ...(widened === "caller" ? {} : { name }), ...covered, choice: lasts, at };
}

/** What a source is, apart from its name. An app has no pins: of its tools the definition is part of it. */
export function identityOf(
  { kind, identity }: Pick<Source, "kind" | "identity">,
  tool?: Tool,
): Pick<Origin, "identity"> {
  const known = kind === "app" && tool !== undefined ? hashParts(toolParts(tool)) : identity?.();
  return known === undefined ? {} : { identity: known };
}

export function answeredCall(
  call: WaitingCall,
  choice: ApprovalAnswer,
  by: AnswerWay | undefined,
  at: string,
): AnsweredCall {
  const { id, name, source, tool, caller, hash, openUntil, config, identity } = call;
  const origin = { ...(config !== undefined && { config }), ...(identity !== undefined && { identity }) };
  const way = by === undefined || by === "terminal" ? {} : { by };
  return { id, name, source, tool, caller, hash, ...origin, choice, ...way, at, ...(openUntil && { openUntil }) };
}
