import type { Log } from "../../core/log.ts";
import { orAborted } from "../../core/wait.ts";
import type { Approvals, NewWaitingCall } from "./approvals.ts";
import { answeredElsewhere, askAll, type Asker, type ApprovalQuestion, type ApprovalReply } from "./askers.ts";

export interface QuestionRequest {
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

export interface ApprovalQuestions {
  /** The answer; or `again` if the call must be judged again, since an answer to another question covers it. */
  put(request: QuestionRequest): Promise<ApprovalReply | "again">;
}

export interface ApprovalQuestionsOptions {
  readonly approvals: Approvals;
  readonly timeoutMs: number;
  readonly clock: () => number;
  readonly log: Log;
}

/** Every call has a question of its own. All askers get it, and it can be answered with `clawport approve` as well. */
export function createApprovalQuestions(options: ApprovalQuestionsOptions): ApprovalQuestions {
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
    let checking = Promise.resolve();
    async function check(): Promise<void> {
      if (isOver) return;
      const given = id === undefined ? undefined : await approvals.takeAnswer(id);
      if (given !== undefined) resolve(given);
      else if (await isCovered()) resolve("again");
    }
    const stop = approvals.onChange(() => {
      checking = checking.then(check).catch((error: unknown) => log.debug("could not read the approvals", { error }));
    });
    return {
      reply: promise,
      begin: (listed: string | undefined) => void (id = listed),
      stop() {
        isOver = true;
        stop();
      },
    };
  }
}
