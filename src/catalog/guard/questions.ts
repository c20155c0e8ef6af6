import { orAborted } from "../../core/or-aborted.ts";
import type { Log } from "../../core/log.ts";
import { askAskers } from "./ask-askers.ts";
import type { Reply } from "./ask-askers.ts";
import type { ApprovalQuestion, Asker } from "./askers.ts";

interface QuestionRequest {
  /** One tool and one caller: there is at most one question about these at a time. */
  readonly about: string;
  readonly question: ApprovalQuestion;
  readonly askers: readonly Asker[];
  /** Ends the wait of this call; the question itself goes on while another call waits for it. */
  readonly signal: AbortSignal;
  /** Keeps a lasting answer, once for all who wait. */
  settle(reply: Reply): Promise<void>;
}

export interface Questions {
  /**
   * The answer; or `again` where another question about the same was answered meanwhile, which may have made this one
   * needless.
   */
  put(request: QuestionRequest): Promise<Reply | "again">;
}

interface Pending {
  readonly text: string;
  readonly reply: Promise<Reply>;
  readonly end: AbortController;
  waiting: number;
}

export function createQuestions(timeoutMs: number, log: Log): Questions {
  const pending = new Map<string, Pending>();

  function start({ about, question, askers, settle }: QuestionRequest): Pending {
    const end = new AbortController();
    const timer = setTimeout(() => end.abort(), timeoutMs);
    const reply = askAskers(askers, question, end.signal, log)
      .then(async (reply) => {
        await settle(reply);
        return reply;
      })
      .finally(() => {
        clearTimeout(timer);
        pending.delete(about);
      });
    const entry: Pending = { text: question.text, reply, end, waiting: 0 };
    pending.set(about, entry);
    return entry;
  }

  return {
    async put(request) {
      const other = pending.get(request.about);
      const entry = other ?? start(request);
      entry.waiting++;
      const reply = await orAborted(entry.reply, request.signal).finally(() => {
        entry.waiting--;
        if (entry.waiting === 0) entry.end.abort();
      });
      // A person who did not answer the first is not asked the next at once.
      return entry.text === request.question.text || reply.choice === undefined ? reply : "again";
    },
  };
}
