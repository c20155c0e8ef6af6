import { Fault } from "../../core/fault.ts";
import { isRecord } from "../../core/is-record.ts";
import {
  type Answer,
  answerErrorKey,
  isCancelledAnswer,
  type Progress,
  type Question,
} from "../messages/interim-messages.ts";
import { AnswerFault } from "../messages/json-rpc.ts";
import type { ReplyRoute, ServedRequest } from "./served-request.ts";
import type { Task, TaskStore } from "./tasks.ts";
import type { WaitingRuns } from "./waiting-runs.ts";

/** Ends one round of a run: with the handler's result, with `input_required`, or with a task. */
export interface RoundEnd {
  resolve(result: object): void;
  reject(error: unknown): void;
}

export interface ResumableRunOptions {
  readonly request: ServedRequest;
  /** What a retry must name again: the method, and the name of the tool, prompt or resource. */
  readonly subject: string;
  readonly waiting: WaitingRuns;
  /** Undefined if the request can't become a task. */
  readonly tasks: Pick<TaskStore, "create"> | undefined;
  readonly round: RoundEnd;
  /** Answers that came with the first request. */
  readonly answers: Readonly<Record<string, unknown>>;
}

/**
 * One execution of a handler that lasts longer than one request. It waits for the client's answers between rounds
 * (modern era only), or continues as a task. The handler only awaits `ask`.
 */
export interface ResumableRun {
  readonly subject: string;
  readonly principal: string;
  ask(question: Question, key: string | undefined): Promise<Answer>;
  readonly isTask: boolean;
  /** Returns whether the call is now a task. */
  detach(statusMessage: string | undefined): boolean;
  onProgress(progress: Progress): void;
  /** Starts a new round with the client's answers, and resolves when that round ends. */
  resume(
    answers: Readonly<Record<string, unknown>>,
    route: ReplyRoute,
    meta: Readonly<Record<string, unknown>>,
  ): Promise<object>;
  finish(result: object): void;
  fail(error: unknown): void;
  /** Ends the handler. The current round fails with the fault. */
  stop(fault: Fault): void;
  /** Ends the handler because the client did not return. */
  abandon(reason: string): void;
}

export function createResumableRun(options: ResumableRunOptions): ResumableRun {
  const { request, waiting, tasks, subject } = options;
  const questions = new Map<
    string,
    { question: Question; resolve(answer: Answer): void; reject(error: Fault): void }
  >();
  const usedKeys = new Set<string>();
  let givenAnswers = options.answers;
  let round: RoundEnd | undefined = options.round;
  let task: Task | undefined;
  let ended: { result: object } | { error: unknown } | undefined;
  let isRoundScheduled = false;

  const run: ResumableRun = {
    subject,
    principal: request.principal,
    get isTask() {
      return task !== undefined;
    },
    ask(question, preferredKey) {
      const key = freshKey(preferredKey);
      const answer = Object.hasOwn(givenAnswers, key) ? givenAnswers[key] : undefined;
      if (isRecord(answer)) return taken(answer);
      return new Promise((resolve, reject) => {
        questions.set(key, { question, resolve, reject });
        request.signal.addEventListener("abort", rejectQuestions, { once: true });
        // Questions that a handler asks in the same turn of the event loop go into one round.
        if (!isRoundScheduled) {
          isRoundScheduled = true;
          setImmediate(sendQuestions);
        }
      });
    },
    detach(statusMessage) {
      if (task || ended || request.cancelled) return task !== undefined;
      task = tasks?.create({ principal: request.principal, statusMessage, cancel: (reason) => request.cancel(reason) });
      if (!task) return false;
      task.onAnswers = takeAnswers;
      endRound({ resultType: "task", ...task.summary() });
      if (questions.size > 0) task.setWaiting(inputRequests());
      return true;
    },
    onProgress(progress) {
      if (task && progress.message !== undefined) task.setStatusMessage(progress.message);
    },
    resume(answers, route, meta) {
      return new Promise((resolve, reject) => {
        round = { resolve, reject };
        request.reroute(route, meta);
        if (Object.values(answers).some(isCancelledAnswer)) {
          rejectQuestions();
          return request.stop(new Fault("cancelled", "The caller cancelled the call."));
        }
        givenAnswers = { ...givenAnswers, ...answers };
        takeAnswers(answers);
        if (task) endRound({ resultType: "task", ...task.summary() });
        else if (ended) deliver();
        else if (questions.size > 0) sendQuestions();
      });
    },
    finish(result) {
      ended = { result };
      deliver();
    },
    fail(error) {
      ended = { error };
      deliver();
    },
    stop: (fault) => request.stop(fault),
    abandon(reason) {
      request.cancel(reason);
      rejectQuestions();
    },
  };
  return run;

  function freshKey(preferred: string | undefined): string {
    let key = preferred ?? `input-${usedKeys.size + 1}`;
    for (let n = 2; usedKeys.has(key); n++) key = `${preferred ?? "input"}-${n}`;
    usedKeys.add(key);
    return key;
  }

  function sendQuestions(): void {
    isRoundScheduled = false;
    if (questions.size === 0) return;
    if (task) task.setWaiting(inputRequests());
    else if (round) {
      endRound({ resultType: "input_required", inputRequests: inputRequests(), requestState: waiting.keep(run) });
    }
  }

  function takeAnswers(answers: Readonly<Record<string, unknown>>): void {
    for (const [key, waitingQuestion] of questions) {
      const answer = Object.hasOwn(answers, key) ? answers[key] : undefined;
      if (!isRecord(answer)) continue;
      questions.delete(key);
      taken(answer).then(waitingQuestion.resolve, waitingQuestion.reject);
    }
    if (task) {
      if (questions.size > 0) task.setWaiting(inputRequests());
      else task.setWorking();
    }
  }

  function deliver(): void {
    if (!ended) return;
    if (task) {
      if ("result" in ended) task.complete(ended.result);
      else task.fail(ended.error);
    } else if (round) {
      if ("result" in ended) endRound(ended.result);
      else {
        round.reject(ended.error);
        round = undefined;
      }
    }
  }

  function endRound(result: object): void {
    const ending = round;
    round = undefined;
    request.reroute(undefined);
    ending?.resolve(result);
  }

  function rejectQuestions(): void {
    for (const { reject } of questions.values())
      reject(new Fault("cancelled", "The call was cancelled before its question was answered."));
    questions.clear();
  }

  function inputRequests(): Record<string, Question> {
    return Object.fromEntries([...questions].map(([key, { question }]) => [key, question]));
  }
}

/** The answer, or the error that a relay forwards from its client. */
function taken(answer: Answer): Promise<Answer> {
  return answerErrorKey in answer ? Promise.reject(new AnswerFault(answer[answerErrorKey])) : Promise.resolve(answer);
}
