import { Fault } from "../../core/fault.ts";
import { stampFile } from "../../core/files/file-stamp.ts";
import { openStateFile } from "../../core/files/state-file.ts";
import { type Log, silentLog } from "../../core/log.ts";
import { quoted } from "../../core/text/peer-text.ts";
import { shownText } from "../../core/text/shown-text.ts";
import type { ApprovalAnswer } from "../advice.ts";
import { type Caller, type CallerScope, callerName, scopeOfCaller } from "../caller.ts";
import { isNameOrNarrow } from "../names.ts";
import type { CatalogTool, Unsubscribe } from "../source.ts";
import {
  type AnsweredCall,
  answeredCall,
  type AnswerWay,
  type Approval,
  approvalKey,
  type ApprovalsFile,
  bounded,
  callKey,
  coverKey,
  emptyApprovals,
  identityOf,
  isAfter,
  lastingAnswer,
  parseApprovals,
  type QuestionedCall,
  type WaitingCall,
  type Widening,
  withApproval,
  without,
} from "./approvals-file.ts";
import { createHeldQuestions, questionText } from "./call-text.ts";

/** Answers to questions of policy, and the calls that wait for one. All processes of a state folder share one file. */
export interface Approvals {
  /** The lasting answer for this tool and caller. */
  recall(tool: CatalogTool, caller: Caller): Promise<"always" | "never" | undefined>;
  remember(tool: CatalogTool, caller: Caller, choice: "always" | "never"): Promise<void>;
  /** Whether `takeApproval` would find one. */
  isApproved(call: QuestionedCall): Promise<boolean>;
  /** Uses up the approval that was given for this call after it had been refused. Undefined if there is none. */
  takeApproval(call: QuestionedCall): Promise<AnswerWay | undefined>;
  /** Lists a call that waits until `openUntil`, or that was refused, so that a person can answer it. */
  addWaiting(call: NewWaitingCall): Promise<WaitingCall>;
  /** Takes over the whole question of a call in the list, from the process that judges the call. */
  hold(id: string, question: string): Promise<void>;
  /**
   * The answer to a call that waits in this process, if it is given in this process: it needs no file, which is the record
   * for the others.
   */
  onAnswer(id: string, listener: (answer: PersonsAnswer) => void): Unsubscribe;
  /** Whether an answer is known for `takeAnswer`, without a look at the file. */
  hasAnswer(id: string): boolean;
  /** Uses up the answer that someone gave in another process to a call that waits. */
  takeAnswer(id: string): Promise<PersonsAnswer | undefined>;
  /** The call waits no longer. One that was refused stays in the list: it can be approved for the next time. */
  end(id: string, how: "refused" | "answered" | "cancelled"): Promise<void>;
  list(): Promise<ApprovalsFile>;
  /** A call in the list, with the whole question if it is known here. Faults with `not-found` if the call is not there. */
  show(id: string): Promise<ShownCall>;
  /**
   * Answers a call in the list. Faults with `not-found` if it is not there, with `usage` if the answer can't last, and with
   * `denied` if it is a yes and only a part of the call is known. `seen` is the hash of the call that the person saw.
   */
  answer(id: string, choice: ApprovalAnswer, widened?: Widening, seen?: string, by?: AnswerWay): Promise<GivenAnswer>;
  /** Removes the lasting answers for a tool, or a caller's for every tool, so that the next call asks again. Faults with `not-found` if there are none. */
  forget(name: string): Promise<readonly Approval[]>;
  /**
   * Calls the listener after every change, whichever process made it; with `here`, only after those of this process, without
   * a timer. `hasNewCover` if a lasting answer came or went, which may cover calls that wait.
   */
  onChange(listener: (hasNewCover: boolean) => void, of?: "here"): Unsubscribe;
}

export interface NewWaitingCall extends Omit<WaitingCall, "id" | "at" | "openUntil"> {
  /** Milliseconds since the epoch. */
  readonly openUntil?: number;
  /** The whole question, for people. It is never written to the file. */
  readonly question: string;
}

export interface ShownCall {
  readonly call: WaitingCall;
  /** The whole question; undefined if only a part of the call is known. */
  readonly text?: string;
}

export interface PersonsAnswer {
  readonly choice: ApprovalAnswer;
  readonly by: AnswerWay;
}

export interface GivenAnswer {
  readonly call: WaitingCall;
  /** What lasts of it. */
  readonly approval?: Approval;
}

export interface ApprovalsOptions {
  readonly file: string;
  /** Which configuration the calls of this process come from; undefined for the one of the state folder. */
  readonly config?: string | undefined;
  /** Hands whole questions to the process that people ask, if that is another one. */
  readonly share?: ((id: string, question: string) => Promise<void>) | undefined;
  readonly clock?: () => number;
  readonly log?: Log;
}

/** How long a known answer counts without a look at the file. Without an answer there is always a look. */
const freshMs = 1000;
const lookEveryMs = 100;

/**
 * A lasting yes is for the server that was shown: not for one of the same name in another configuration, nor for another
 * program that has its name now, nor for another definition by the same app; and for the token that asked, not for a new one of its name. A lasting no goes by the names.
 */
export function openApprovals(options: ApprovalsOptions): Approvals {
  const { file, config, share, clock = Date.now, log = silentLog } = options;
  const state = openStateFile<ApprovalsFile>({ path: file, parse: parseApprovals, empty: emptyApprovals, log });
  const listeners = new Set<(hasNewCover: boolean) => void>();
  const held = createHeldQuestions();
  const waitingHere = new Map<string, (answer: PersonsAnswer) => void>();
  let known = emptyApprovals;
  let index = new Map<string, "always" | "never">();
  let refused = new Set<string>();
  let readAt = -Infinity;
  let stamp: string | undefined;
  let covered = "";
  let looking: NodeJS.Timeout | undefined;
  let lookers = 0;

  function learn(content: ApprovalsFile, newStamp?: string): ApprovalsFile {
    known = content;
    index = new Map(content.approvals.map((approval) => [approvalKey(approval), approval.choice]));
    refused = new Set(content.approvals.filter(({ choice }) => choice === "never").map(coverKey));
    readAt = clock();
    stamp = newStamp;
    const covers = `${content.approvals.length} ${JSON.stringify(content.approvals.at(-1))}`;
    const hasNewCover = covers !== covered;
    covered = covers;
    for (const listener of listeners) listener(hasNewCover);
    return content;
  }

  async function refresh(): Promise<ApprovalsFile> {
    // Taken before the file is read: a change in between is read again.
    const newStamp = await stampFile(file);
    if (newStamp !== stamp) return learn(await state.read(), newStamp);
    readAt = clock();
    return known;
  }

  /** Hundreds of calls may begin or be answered at once: what comes while the file is written is written together. */
  const change = inBatches<ApprovalsFile>(async (edit) => {
    learn(await state.update((content) => bounded(edit(bounded(content, clock())), clock())));
  });

  const ofConfig = config === undefined ? {} : { config };

  function lookUp({ source, tool }: CatalogTool, caller: Caller): "always" | "never" | undefined {
    const scope = scopeOfCaller(caller);
    const one = { ...ofConfig, ...identityOf(source, tool), source: source.id, tool: tool.name };
    const find = (about: typeof one | { caller: CallerScope }): "always" | "never" | undefined =>
      index.get(approvalKey({ ...ofConfig, ...about })) ?? (refused.has(coverKey(about)) ? "never" : undefined);
    const exact = find({ ...one, caller: scope }) ?? find(one);
    // What a caller may do for itself, a server that uses the model meanwhile may not.
    return exact ?? (caller.server === undefined ? find({ caller: scope }) : undefined);
  }

  async function shareQuestion({ id, isWhole }: WaitingCall, question: string): Promise<void> {
    if (isWhole === true) return;
    await share?.(id, question).catch((error: unknown) =>
      log.warn(`the hub can't show call ${id} whole, so it can't be approved there`, { error }),
    );
  }

  /** From this process, or from the file if that has all of it. */
  const wholeQuestion = (call: WaitingCall): string | undefined =>
    held.get(call.id, callKey(call)) ?? (call.isWhole === true ? questionText(call) : undefined);

  function isApprovalOf(given: QuestionedCall): (answered: AnsweredCall) => boolean {
    const key = callKey({ ...given, ...ofConfig });
    return (answered) => answered.choice === "once" && !isOpen(answered) && callKey(answered) === key;
  }

  async function isApproved(call: QuestionedCall): Promise<boolean> {
    return bounded(await refresh(), clock()).answered.some(isApprovalOf(call));
  }

  const isOpen = ({ openUntil }: { readonly openUntil?: string }): boolean => isAfter(openUntil, clock());
  const now = (): string => new Date(clock()).toISOString();

  return {
    async recall(tool, caller) {
      const isFresh = Math.abs(clock() - readAt) <= freshMs;
      const answer = isFresh ? lookUp(tool, caller) : undefined;
      if (answer !== undefined) return answer;
      await refresh();
      return lookUp(tool, caller);
    },

    async remember(tool, caller, choice) {
      const { name, source } = tool;
      const about = { name, source: source.id, tool: tool.tool.name, caller: scopeOfCaller(caller) };
      const one = { ...ofConfig, ...identityOf(source, tool.tool), ...about };
      await change((content) => withApproval(content, { ...one, choice, at: now() }, clock()));
    },

    isApproved,

    async takeApproval(call) {
      if (!(await isApproved(call))) return undefined;
      const isMeant = isApprovalOf(call);
      let taken: AnsweredCall | undefined;
      await change((content) => {
        taken = content.answered.find(isMeant);
        return { ...content, answered: content.answered.filter((answered) => answered !== taken) };
      });
      return taken && (taken.by ?? "terminal");
    },

    async addWaiting({ openUntil, question, ...given }) {
      const call = { ...given, ...ofConfig };
      const isSame = (waiting: WaitingCall): boolean => !isOpen(waiting) && callKey(waiting) === callKey(call);
      const listed = (await refresh()).waiting.find(isSame);
      // A client that tries again and again does not make the file be written each time.
      if (listed !== undefined && openUntil === undefined) {
        held.hold(listed.id, callKey(listed), question);
        await shareQuestion(listed, question);
        return listed;
      }
      let added: WaitingCall | undefined;
      await change((content) => {
        const id = content.waiting.find(isSame)?.id ?? String(content.lastId + 1);
        const until = openUntil === undefined ? {} : { openUntil: new Date(openUntil).toISOString() };
        added = { ...call, id, at: now(), ...until };
        // Before it is listed: who reads the list asks for the whole question next.
        held.hold(id, callKey(added), question);
        const others = content.waiting.filter((other) => other.id !== id);
        return { ...content, waiting: [...others, added], lastId: Math.max(content.lastId, Number(id)) };
      });
      await shareQuestion(added!, question);
      return added!;
    },

    async hold(id, question) {
      const call = (await refresh()).waiting.find((waiting) => waiting.id === id);
      if (call === undefined) throw new Fault("not-found", notWaiting(id));
      // What this process judges itself, it knows better.
      if (held.get(id, callKey(call)) !== undefined) return;
      held.hold(id, callKey(call), question);
      // The call was listed before its question came.
      for (const listener of listeners) listener(false);
    },

    onAnswer(id, listener) {
      waitingHere.set(id, listener);
      return () => void waitingHere.delete(id);
    },

    hasAnswer: (id) => known.answered.some((answered) => answered.id === id),

    async takeAnswer(id) {
      const given = (await refresh()).answered.find((answered) => answered.id === id);
      if (given !== undefined) await change((content) => without(content, id));
      return given && { choice: given.choice, by: given.by ?? "terminal" };
    },

    async end(id, how) {
      if (how !== "refused") held.drop(id);
      await change((content) => {
        const call = content.waiting.find((waiting) => waiting.id === id);
        const { openUntil: _, ...refused } = call ?? {};
        const left = without(content, id);
        if (how !== "refused" || call === undefined) return left;
        return { ...left, waiting: [...left.waiting, refused as WaitingCall] };
      });
    },

    list: async () => bounded(await refresh(), clock()),

    async show(id) {
      const call = (await refresh()).waiting.find((waiting) => waiting.id === id);
      if (call === undefined) throw new Fault("not-found", notWaiting(id));
      const text = wholeQuestion(call);
      return { call, ...(text !== undefined && { text }) };
    },

    async answer(id, choice, widened, seen, by) {
      let given: GivenAnswer | undefined;
      const answer = widened ? "once" : choice;
      const waiter = waitingHere.get(id);
      await change((content) => {
        const call = content.waiting.find((waiting) => waiting.id === id);
        if (call === undefined || (seen ?? call.hash) !== call.hash) throw new Fault("not-found", notWaiting(id));
        const isYes = choice === "once" || choice === "always";
        if (isYes && wholeQuestion(call) === undefined) throw new Fault("denied", onlyInPart(call));
        const approval = lastingAnswer(call, choice, widened, now());
        given = { call, ...(approval && { approval }) };
        const left = without(content, id);
        // What lasts answers a refused call when it is made again. One that waits elsewhere gets its answer either way.
        const isLeft = waiter === undefined && (isOpen(call) || choice === "once");
        const answered = isLeft ? [...left.answered, answeredCall(call, answer, by, now())] : left.answered;
        return approval ? withApproval({ ...left, answered }, approval, clock()) : { ...left, answered };
      });
      waiter?.({ choice: answer, by: by ?? "terminal" });
      return given!;
    },

    async forget(name) {
      let forgotten: readonly Approval[] = [];
      const isMeant = (approval: Approval): boolean =>
        (approval.name !== undefined && isNameOrNarrow(name, approval.name)) ||
        (approval.name === undefined && approval.caller !== undefined && callerName(approval.caller) === name);
      await change((content) => {
        forgotten = content.approvals.filter(isMeant);
        if (forgotten.length === 0) throw new Fault("not-found", noAnswerFor(name));
        return { ...content, approvals: content.approvals.filter((approval) => !isMeant(approval)) };
      });
      return forgotten;
    },

    onChange(listener, of) {
      listeners.add(listener);
      if (of === "here") return () => listeners.delete(listener);
      lookers++;
      // Not every file system reports the changes of other processes, so the file is looked at.
      looking ??= setInterval(() => void refresh().catch(() => {}), lookEveryMs).unref();
      return () => {
        if (!listeners.delete(listener) || --lookers > 0) return;
        clearInterval(looking);
        looking = undefined;
      };
    },
  };
}

type Edit<T> = (content: T) => T;

/** Applies edits one after the other, those that wait for the same write together. One that throws fails alone. */
function inBatches<T>(write: (edit: Edit<T>) => Promise<void>): (edit: Edit<T>) => Promise<void> {
  let waiting: { readonly edit: Edit<T>; readonly done: PromiseWithResolvers<void> }[] = [];
  let isWriting = false;

  async function writeAll(): Promise<void> {
    isWriting = true;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      const failed = new Map<object, unknown>();
      const editAll = (content: T): T =>
        batch.reduce((edited, each) => {
          try {
            return each.edit(edited);
          } catch (error) {
            failed.set(each, error);
            return edited;
          }
        }, content);
      await write(editAll).catch((error: unknown) => batch.forEach((each) => failed.set(each, error)));
      for (const each of batch) {
        if (failed.has(each)) each.done.reject(failed.get(each));
        else each.done.resolve();
      }
    }
    isWriting = false;
  }

  return (edit) => {
    const done = Promise.withResolvers<void>();
    waiting.push({ edit, done });
    if (!isWriting) void writeAll();
    return done.promise;
  };
}

const noAnswerFor = (name: string): string =>
  `There is no saved answer for ${quoted(name)}. Run \`clawport approvals\` to list the saved answers.`;

const notWaiting = (id: string): string =>
  `No call ${quoted(id)} waits for approval. It may have been answered already. Run \`clawport approvals\` to list the calls.`;

/** The file has secrets masked and long values cut: what it shows is not what would run. */
export function onlyInPart({ id, name, openUntil }: Pick<WaitingCall, "id" | "name" | "openUntil">): string {
  const where = isAfter(openUntil, Date.now()) ? "Answer it where it is asked, or m" : "M";
  return `Call ${id} can't be approved from here: only a shortened record of it is left. ${where}ake the call of ${shownText(name)} again while the hub runs, then run \`clawport approvals\`.`;
}
