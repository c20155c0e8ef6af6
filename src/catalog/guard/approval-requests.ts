import type { Log } from "../../core/log.ts";
import type { Span } from "../../core/telemetry/telemetry.ts";
import { orAborted } from "../../core/wait.ts";
import { missingCapability } from "../../mcp/messages/client-facts.ts";
import type { ApprovalAnswer } from "../advice.ts";
import type { CallContext } from "../call-context.ts";
import { type Caller, callerName, isActedFor, originOf } from "../caller.ts";
import type { CatalogTool, Unsubscribe } from "../source.ts";
import type { Approvals, NewWaitingCall } from "./approvals.ts";
import {
  answeredElsewhere,
  type ApprovalNotice,
  type ApprovalQuestion,
  type ApprovalReply,
  askAll,
  type Asker,
  type Askers,
  createClientAsker,
} from "./askers.ts";
import type { Judgement } from "./judge-call.ts";
import type { Operation } from "./reach-source.ts";

export interface ApprovalRequestsOptions {
  readonly approvals: Approvals;
  readonly askers: Askers;
  readonly clock: () => number;
  readonly log: Log;
  readonly askTimeoutMs: number;
}

/** Gets a person's approval of a call, and remembers the answers that last. */
export interface ApprovalRequests {
  /** Whether someone other than the calling client can be asked. */
  canAskPerson(context: CallContext): boolean;
  /** The remembered answer. */
  recall(tool: CatalogTool, caller: Caller): Promise<"always" | "never" | undefined>;
  /** The answer; or `again` if the call must be judged again, since an answer to another question covers it. */
  make(
    operation: Operation,
    context: CallContext,
    judgement: Judgement,
    call: NewWaitingCall,
  ): Promise<ApprovalReply | "again">;
  /** For a call that is refused because no one can be asked: a person can approve it for the next time. */
  listRefused(call: NewWaitingCall, judgement: Judgement): Promise<void>;
}

export function createApprovalRequests(options: ApprovalRequestsOptions): ApprovalRequests {
  const { approvals, askers, clock, log, askTimeoutMs } = options;
  const questions = createApprovalQuestions({ approvals, timeoutMs: askTimeoutMs, clock, log });

  return {
    canAskPerson: (context) => askers.available(context).length > 0 || isAtTerminal(context),
    recall,
    make(operation, context, judgement, call) {
      const given = givenAnswer(context, call);
      return given === undefined
        ? ask(operation, context, judgement, call)
        : takeGiven(operation, context.caller, judgement, given);
    },
    async listRefused(call, judgement) {
      if (!isListedWhenRefused(judgement)) return;
      try {
        logWaiting(call, (await approvals.addWaiting(call)).id);
      } catch (error) {
        log.warn("could not save a call that waits for approval", { error });
      }
    },
  };

  /** What a person has refused a caller for good, an agent can't do for it either. */
  async function recall(tool: CatalogTool, caller: Caller): Promise<"always" | "never" | undefined> {
    if (isActedFor(caller) && (await approvals.recall(tool, originOf(caller))) === "never") return "never";
    return approvals.recall(tool, caller);
  }

  async function ask(
    operation: Operation,
    context: CallContext,
    judgement: Judgement,
    call: NewWaitingCall,
  ): Promise<ApprovalReply | "again"> {
    const { tool } = operation;
    const { caller, signal } = context;
    const people = askers.available(context);
    const asksClient = judgement.mayAskClient && !isAtTerminal(context);
    const asking = questions.put({
      call,
      question: {
        tool: call.name,
        source: call.source,
        caller: call.client === undefined ? call.caller : { ...call.caller, client: call.client },
        text: call.question,
        choices: call.lasting ? ["once", "always", "never"] : ["once"],
        ...(call.grantCommand !== undefined && { grantCommand: call.grantCommand }),
      },
      askers: asksClient ? [...people, createClientAsker(context)] : people,
      signal,
      keepsRefused: isListedWhenRefused(judgement),
      async isCovered() {
        if (tool === undefined || !judgement.reasons.includes(judgement.policy)) return false;
        return (await recall(tool, caller)) !== undefined;
      },
      onAsked(id) {
        if (!people.some(({ kind }) => kind === "terminal")) logWaiting(call, id);
        if (people.length > 0 || isAtTerminal(context)) tellWaiting(context, call, id, people.length === 0);
      },
    });
    const reply = await (context.span === undefined ? asking : traceWait(context.span, asking));
    if (reply !== "again" && (reply.choice === "always" || reply.choice === "never")) {
      await remember(operation, caller, judgement, reply.choice);
    }
    return reply;
  }

  /** The door has asked already. */
  async function takeGiven(
    operation: Operation,
    caller: Caller,
    judgement: Judgement,
    choice: ApprovalAnswer,
  ): Promise<ApprovalReply> {
    if (choice === "always" || choice === "never") await remember(operation, caller, judgement, choice);
    return { choice, by: caller.door };
  }

  async function remember(
    { tool }: Operation,
    caller: Caller,
    { reasons, policy }: Judgement,
    choice: "always" | "never",
  ): Promise<void> {
    const keepers = reasons.map(async (reason) => {
      if (reason === policy && tool) await approvals.remember(tool, caller, choice);
      await reason.remember?.(choice);
    });
    for (const kept of await Promise.allSettled(keepers)) {
      if (kept.status === "rejected")
        log.warn("could not save an answer; it applies to this call only", { error: kept.reason });
    }
  }

  function tellWaiting(context: CallContext, { name }: NewWaitingCall, id: string | undefined, asks: boolean): void {
    const text = `Waiting for approval of ${name}, for up to ${Math.round(askTimeoutMs / 1000)} seconds.`;
    const isKnown = id !== undefined && isAtTerminal(context);
    // Only for a person: a model must not be handed the command that approves its own call.
    const notice: ApprovalNotice | undefined = isKnown
      ? { approval: id, asks, text: `${text} Answer in the hub's terminal, or with \`clawport approve ${id}\`.` }
      : undefined;
    context.tell({ level: "notice", logger: "clawport", data: notice ?? text });
  }

  function logWaiting({ name, caller, grantCommand }: NewWaitingCall, id: string | undefined): void {
    if (id === undefined) return;
    const always = grantCommand === undefined ? "" : `; to allow it from now on, run \`${grantCommand}\``;
    log.info(`${name} needs approval: run \`clawport approve ${id}\`${always}`, { caller: callerName(caller) });
  }
}

/** What the door has been told about this very question. Who typed the call has not seen what else is to be seen. */
export function givenAnswer(
  { approval }: Pick<CallContext, "approval">,
  { hash, detail }: Pick<NewWaitingCall, "hash" | "detail">,
): ApprovalAnswer | undefined {
  const isFor = approval?.hash === undefined ? detail === undefined : approval.hash === hash;
  return isFor ? approval?.choice : undefined;
}

async function traceWait(guard: Span, asking: Promise<ApprovalReply | "again">): Promise<ApprovalReply | "again"> {
  const span = guard.startChild("wait for approval");
  try {
    const reply = await asking;
    const { choice = "none", by } = reply === "again" ? {} : reply;
    span.setAttribute("clawport.answer", choice);
    if (by !== undefined) span.setAttribute("clawport.answered_by", by);
    return reply;
  } catch (error) {
    span.recordError(error);
    throw error;
  } finally {
    span.end();
  }
}

/** A command of the owner, relayed to the hub, whose user can be asked. */
function isAtTerminal({ caller, client }: CallContext): boolean {
  if (caller.door !== "cli" || client === undefined) return false;
  return missingCapability(client, { method: "elicitation/create" }) === undefined;
}

/** A changed definition has a list of its own. */
function isListedWhenRefused({ reasons }: Judgement): boolean {
  return reasons.some(({ by }) => by !== "pin");
}

interface QuestionRequest {
  readonly call: NewWaitingCall;
  readonly question: Omit<ApprovalQuestion, "id" | "expiresAt">;
  /** None if only a command can bring the answer. */
  readonly askers: readonly Asker[];
  /** Aborts when the call is cancelled. */
  readonly signal: AbortSignal;
  /** Whether a call that no one answers stays in the list, so that it can be approved for the next time. */
  readonly keepsRefused: boolean;
  /** Whether an answer to another question covers this call, too. */
  isCovered(): Promise<boolean>;
  /** Called when the question has its id and is about to be asked. */
  onAsked(id: string | undefined): void;
}

interface ApprovalQuestions {
  /** The answer; or `again` if the call must be judged again, since an answer to another question covers it. */
  put(request: QuestionRequest): Promise<ApprovalReply | "again">;
}

interface ApprovalQuestionsOptions {
  readonly approvals: Approvals;
  readonly timeoutMs: number;
  readonly clock: () => number;
  readonly log: Log;
}

/** Every call has a question of its own. All askers get it, and it can be answered with `clawport approve` as well. */
function createApprovalQuestions(options: ApprovalQuestionsOptions): ApprovalQuestions {
  const { approvals, timeoutMs, clock, log } = options;

  return {
    async put(request) {
      const { call, question, askers, signal, keepsRefused } = request;
      const expiresAt = clock() + timeoutMs;
      const end = new AbortController();
      const timer = setTimeout(() => end.abort("no one answered in time"), timeoutMs);
      const elsewhere = watchForAnswer(request);
      let how: "refused" | "answered" | "cancelled" = "cancelled";
      let id: string | undefined;
      try {
        id = await list({ ...call, openUntil: expiresAt });
        elsewhere.begin(id);
        request.onAsked(id);
        const asked = askAll(askers, { ...question, id, expiresAt }, end.signal, log);
        const reply = await orAborted(Promise.race([elsewhere.reply, asked]), signal);
        end.abort(reply === "again" ? "no longer needed" : answeredElsewhere(reply));
        if (reply === "again" || reply.choice !== undefined) how = "answered";
        else if (keepsRefused) how = "refused";
        return reply;
      } finally {
        clearTimeout(timer);
        end.abort("the call was cancelled");
        elsewhere.stop();
        if (id !== undefined) await settle(id, how);
      }
    },
  };

  async function list(call: NewWaitingCall): Promise<string | undefined> {
    try {
      return (await approvals.addWaiting(call)).id;
    } catch (error) {
      log.warn("could not save a question; `clawport approve` can't answer it", { error });
      return undefined;
    }
  }

  async function settle(id: string, how: "refused" | "answered" | "cancelled"): Promise<void> {
    await approvals.end(id, how).catch((error: unknown) => {
      log.warn("could not save that a question is closed", { error });
    });
  }

  function watchForAnswer({ isCovered }: Pick<QuestionRequest, "isCovered">) {
    const { promise, resolve } = Promise.withResolvers<ApprovalReply | "again">();
    let id: string | undefined;
    let isOver = false;
    let stopHere: Unsubscribe | undefined;
    let checking = Promise.resolve();
    async function check(hasNewCover: boolean): Promise<void> {
      if (isOver) return;
      // Hundreds of calls may wait: each is told of every change, and must not look at the file then.
      const given = id !== undefined && approvals.hasAnswer(id) ? await approvals.takeAnswer(id) : undefined;
      if (given !== undefined) resolve(given);
      else if (hasNewCover && (await isCovered())) resolve("again");
    }
    function checkNext(hasNewCover: boolean): void {
      checking = checking
        .then(() => check(hasNewCover))
        .catch((error: unknown) => log.debug("could not read the approvals", { error }));
    }
    const stop = approvals.onChange(checkNext);
    return {
      reply: promise,
      begin(listed: string | undefined) {
        id = listed;
        if (listed !== undefined) stopHere = approvals.onAnswer(listed, resolve);
        // An answer may have come since the call was judged.
        checkNext(true);
      },
      stop() {
        isOver = true;
        stop();
        stopHere?.();
      },
    };
  }
}
