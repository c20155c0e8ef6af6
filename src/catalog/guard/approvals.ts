import { Fault } from "../../core/fault.ts";
import { openStateFile } from "../../core/files/state-file.ts";
import { isRecord } from "../../core/is-record.ts";
import { type Log, silentLog } from "../../core/log.ts";
import { quoted } from "../../core/peer-text.ts";
import { type Caller, type CallerScope, callerScopeKey, scopeOfCaller } from "../caller.ts";
import type { CatalogTool } from "../source.ts";

/** Lasting answers to questions of policy, and the calls that wait for one. */
export interface Approvals {
  /** The lasting answer for this tool and caller. One given in another process counts within a second. */
  recall(tool: CatalogTool, caller: Caller): Promise<"always" | "never" | undefined>;
  remember(tool: CatalogTool, caller: Caller, choice: "always" | "never"): Promise<void>;
  /** Saves a call that no one answered, so that it can be approved by name later. */
  note(tool: CatalogTool, caller: Caller, reason: string): Promise<void>;
  list(): Promise<ApprovalsFile>;
  /** Allows every waiting call of that name, and every refused one, from now on; returns the approvals. */
  approveWaiting(name: string): Promise<readonly Approval[]>;
  /** Removes lasting answers, so that the next call asks again; returns them. Faults with `not-found` if there are none. */
  forget(name: string): Promise<readonly Approval[]>;
}

export interface ApprovalsOptions {
  readonly file: string;
  readonly clock?: () => number;
  readonly log?: Log;
}

const mostApprovals = 5000;
const mostWaiting = 200;
const freshFor = 1000;

export function openApprovals({ file, clock = Date.now, log = silentLog }: ApprovalsOptions): Approvals {
  const empty: ApprovalsFile = { approvals: [], waiting: [] };
  const state = openStateFile<ApprovalsFile>({ path: file, parse: parseApprovals, empty, log });
  let known: { readonly content: ApprovalsFile; readonly index: Map<string, "always" | "never"> } | undefined;
  let readAt = -Infinity;

  function learn(content: ApprovalsFile): ApprovalsFile {
    known = { content, index: new Map(content.approvals.map((approval) => [keyOf(approval), approval.choice])) };
    readAt = clock();
    return content;
  }

  const change = async (edit: (content: ApprovalsFile) => ApprovalsFile) => learn(await state.update(edit));

  return {
    async recall(tool, caller) {
      if (known === undefined || Math.abs(clock() - readAt) > freshFor) learn(await state.read());
      return known!.index.get(keyOf(callOf(tool, caller)));
    },

    async remember(tool, caller, choice) {
      const approval: Approval = { ...callOf(tool, caller), choice, at: new Date(clock()).toISOString() };
      await change((content) => withApprovals(content, [approval]));
    },

    async note(tool, caller, reason) {
      const call: WaitingCall = { ...callOf(tool, caller), reason, at: new Date(clock()).toISOString() };
      const isNoted = (waiting: readonly WaitingCall[]) => waiting.some((other) => keyOf(other) === keyOf(call));
      if (known !== undefined && isNoted(known.content.waiting)) return;
      await change(({ approvals, waiting }) => ({
        approvals,
        waiting: isNoted(waiting) ? waiting : [...waiting, call].slice(-mostWaiting),
      }));
    },

    list: async () => learn(await state.read()),

    async approveWaiting(name) {
      let approved: Approval[] = [];
      const at = new Date(clock()).toISOString();
      await change((content) => {
        const refused = content.approvals.filter((approval) => approval.name === name && approval.choice === "never");
        const waiting = content.waiting.filter((call) => call.name === name);
        approved = [...refused, ...waiting].map((call) => ({ ...bare(call), choice: "always", at }));
        return withApprovals(content, approved);
      });
      return approved;
    },

    async forget(name) {
      let forgotten: readonly Approval[] = [];
      await change((content) => {
        forgotten = content.approvals.filter((approval) => approval.name === name);
        if (forgotten.length === 0) throw new Fault("not-found", noAnswerFor(name));
        return { ...content, approvals: content.approvals.filter((approval) => approval.name !== name) };
      });
      return forgotten;
    },
  };
}

const noAnswerFor = (name: string): string =>
  `There is no saved answer for ${quoted(name)}. Run \`clawport approvals\` to list the saved answers.`;

type Call = Omit<Approval, "choice" | "at">;

function callOf(tool: CatalogTool, caller: Caller): Call {
  return { name: tool.name, source: tool.source.id, tool: tool.tool.name, caller: scopeOfCaller(caller) };
}

const bare = ({ name, source, tool, caller }: Call): Call => ({ name, source, tool, caller });

/** By the source's own name for the tool: a name in the catalog could later belong to another tool. */
const keyOf = ({ source, tool, caller }: Call): string => JSON.stringify([source, tool, callerScopeKey(caller)]);

function withApprovals({ approvals, waiting }: ApprovalsFile, added: readonly Approval[]): ApprovalsFile {
  const keys = new Set(added.map(keyOf));
  return {
    approvals: [...approvals.filter((approval) => !keys.has(keyOf(approval))), ...added].slice(-mostApprovals),
    waiting: waiting.filter((call) => !keys.has(keyOf(call))),
  };
}

/** A lasting answer: this caller may always, or never, use this tool. */
export interface Approval {
  /** The name in the catalog when the answer was given, for display. */
  readonly name: string;
  readonly source: string;
  /** The source's own name for it. */
  readonly tool: string;
  readonly caller: CallerScope;
  readonly choice: "always" | "never";
  readonly at: string;
}

/** A call that was refused because no one answered. */
export interface WaitingCall extends Omit<Approval, "choice"> {
  readonly reason: string;
}

export interface ApprovalsFile {
  readonly approvals: readonly Approval[];
  readonly waiting: readonly WaitingCall[];
}

function parseApprovals(value: unknown): ApprovalsFile {
  if (isRecord(value) && isListOf(value.approvals, isApproval) && isListOf(value.waiting, isWaiting)) {
    return { approvals: value.approvals, waiting: value.waiting };
  }
  throw new Fault("corrupt", "This is not a list of approvals.");
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
