import { Fault } from "../../core/fault.ts";
import type { Answer, Progress, Question } from "../messages/interim-messages.ts";
import type { ReplyRoute, ServedRequest } from "./served-request.ts";
import type { Task, TaskStore } from "./tasks.ts";
import type { WaitingRuns } from "./waiting-runs.ts";

/** What one round of a run comes to: the handler's result, or `input_required`, or a task. */
export interface RoundEnd {
  resolve(result: object): void;
  reject(error: unknown): void;
}

export interface ResumableRunOptions {
  readonly request: ServedRequest;
  /** What a retry has to name again: method and the name of the tool, prompt or resource. */
  readonly subject: string;
  readonly waiting: WaitingRuns;
  /** Undefined where the request can't become a task. */
  readonly tasks: TaskStore | undefined;
  readonly round: RoundEnd;
  /** Answers that came along with the first request. */
  readonly answers: Readonly<Record<string, unknown>>;
}

/**
 * One execution of a modern handler that lasts longer than one request: it waits for the client's answers between
 * rounds, or goes on as a task. The handler itself only ever awaits `ask`.
 */
export interface ResumableRun {
  readonly subject: string;
  readonly principal: string;
  ask(question: Question, key: string | undefined): Promise<Answer>;
  /** Says whether the call is a task from here on. */
  detach(statusMessage: string | undefined): boolean;
  noteProgress(progress: Progress): void;
  /** The client is back: takes its answers and waits for what comes next. */
  resume(
    answers: Readonly<Record<string, unknown>>,
    route: ReplyRoute,
    meta: Readonly<Record<string, unknown>>,
  ): Promise<object>;
  finish(result: object): void;
  fail(error: unknown): void;
  /** Ends the handler; whoever waits for the round is told. */
  stop(fault: Fault): void;
  /** Nobody came back: stops the handler. */
  abandon(reason: string): void;
}

export function createResumableRun(options: ResumableRunOptions): ResumableRun {
  const { request, waiting, tasks, subject } = options;
  const questions = new Map<
    string,
    { question: Question; resolve(answer: Answer): void; reject(error: Fault): void }
  >();
  const usedKeys = new Set<string>();
  let early = options.answers;
  let round: RoundEnd | undefined = options.round;
  let task: Task | undefined;
  let ended: { result: object } | { error: unknown } | undefined;
  let surfacing = false;

  const run: ResumableRun = {
    subject,
    principal: request.principal,
    ask(question, wantedKey) {
      const key = freshKey(wantedKey);
      const answer = Object.hasOwn(early, key) ? early[key] : undefined;
      if (isAnswer(answer)) return Promise.resolve(answer);
      return new Promise((resolve, reject) => {
        questions.set(key, { question, resolve, reject });
        request.signal.addEventListener("abort", rejectQuestions, { once: true });
        // Handlers that ask several things at once do so in one turn of the loop: they become one round.
        if (!surfacing) {
          surfacing = true;
          setImmediate(surface);
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
    noteProgress(progress) {
      if (task && progress.message !== undefined) task.setStatusMessage(progress.message);
    },
    resume(answers, route, meta) {
      return new Promise((resolve, reject) => {
        round = { resolve, reject };
        request.reroute(route, meta);
        early = { ...early, ...answers };
        takeAnswers(answers);
        if (task) endRound({ resultType: "task", ...task.summary() });
        else if (ended) deliver();
        else if (questions.size > 0) surface();
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

  function freshKey(wanted: string | undefined): string {
    let key = wanted ?? `input-${usedKeys.size + 1}`;
    for (let n = 2; usedKeys.has(key); n++) key = `${wanted ?? "input"}-${n}`;
    usedKeys.add(key);
    return key;
  }

  function surface(): void {
    surfacing = false;
    if (questions.size === 0) return;
    if (task) task.setWaiting(inputRequests());
    else if (round) {
      endRound({ resultType: "input_required", inputRequests: inputRequests(), requestState: waiting.keep(run) });
    }
  }

  function takeAnswers(answers: Readonly<Record<string, unknown>>): void {
    for (const [key, waitingQuestion] of questions) {
      const answer = Object.hasOwn(answers, key) ? answers[key] : undefined;
      if (!isAnswer(answer)) continue;
      questions.delete(key);
      waitingQuestion.resolve(answer);
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
      reject(new Fault("cancelled", "The call was cancelled before it was answered."));
    questions.clear();
  }

  function inputRequests(): Record<string, Question> {
    return Object.fromEntries([...questions].map(([key, { question }]) => [key, question]));
  }
}

function isAnswer(value: unknown): value is Answer {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
