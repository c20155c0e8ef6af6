import { isFault } from "../../core/fault.ts";
import type { Log } from "../../core/log.ts";
import { orAborted } from "../../core/wait.ts";
import type { ApprovalAnswer, Choice } from "../advice.ts";
import type { CallerScope } from "../caller.ts";
import type { CallContext } from "../call-context.ts";
import type { Unsubscribe } from "../source.ts";

/** What a person is asked before a call may run. */
export interface ApprovalQuestion {
  readonly id: string;
  /** The name in the catalog. */
  readonly tool: string;
  readonly source: string;
  readonly caller: CallerScope & { readonly client?: string };
  /** The whole question, safe to show as it is. */
  readonly text: string;
  readonly choices: readonly Choice[];
  /** Milliseconds since the epoch. No answer by then is a no. */
  readonly expiresAt: number;
}

/** A way to ask a person: a terminal, the console, a desktop, the calling client. */
export interface Asker {
  readonly id: string;
  readonly kind: "console" | "terminal" | "desktop" | "client";
  /** Whether a person who may answer for this call can be asked now. */
  available(context: CallContext): boolean;
  /** Undefined if there was no answer. The signal aborts after another answer, or when time is up. */
  ask(question: ApprovalQuestion, signal: AbortSignal): Promise<ApprovalAnswer | undefined>;
}

/** All askers. They come and go while the guard runs. */
export interface Askers {
  add(asker: Asker): Unsubscribe;
  available(context: CallContext): readonly Asker[];
}

export function createAskers(): Askers {
  const askers = new Set<Asker>();
  return {
    add(asker) {
      askers.add(asker);
      return () => askers.delete(asker);
    },
    available: (context) => [...askers].filter((asker) => asker.available(context)),
  };
}

interface QuestionRequest {
  /** Identifies tool and caller: at most one question about them is open at a time. */
  readonly about: string;
  readonly question: ApprovalQuestion;
  readonly askers: readonly Asker[];
  /** Ends the wait of this call. The question stays open while another call waits for it. */
  readonly signal: AbortSignal;
  /** Saves a lasting answer, once for all waiting calls. */
  settle(reply: ApprovalReply): Promise<void>;
}

export interface ApprovalQuestions {
  /**
   * The answer; or `again` if another question about the same tool and caller was answered meanwhile: the call must be
   * judged again, since that answer may cover it.
   */
  put(request: QuestionRequest): Promise<ApprovalReply | "again">;
}

interface PendingQuestion {
  readonly text: string;
  readonly reply: Promise<ApprovalReply>;
  readonly end: AbortController;
  waiting: number;
}

export function createApprovalQuestions(timeoutMs: number, log: Log): ApprovalQuestions {
  const pending = new Map<string, PendingQuestion>();

  function start({ about, question, askers, settle }: QuestionRequest): PendingQuestion {
    const end = new AbortController();
    const timer = setTimeout(() => end.abort(), timeoutMs);
    const reply = askAll(askers, question, end.signal, log)
      .then(async (reply) => {
        await settle(reply);
        return reply;
      })
      .finally(() => {
        clearTimeout(timer);
        pending.delete(about);
      });
    const entry: PendingQuestion = { text: question.text, reply, end, waiting: 0 };
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
      // A person who did not answer this question is not asked the next one right away.
      return entry.text === request.question.text || reply.choice === undefined ? reply : "again";
    },
  };
}

export interface ApprovalReply {
  /** Undefined if there was no answer. */
  readonly choice?: ApprovalAnswer;
  /** The kind of the asker that brought the answer. */
  readonly by?: string;
}

/**
 * Asks all at once. The first answer counts and ends the other questions. Without an answer in time the reply is empty.
 */
async function askAll(
  askers: readonly Asker[],
  question: ApprovalQuestion,
  signal: AbortSignal,
  log: Log,
): Promise<ApprovalReply> {
  const answered = new AbortController();
  const ended = AbortSignal.any([signal, answered.signal]);
  const reply = await new Promise<ApprovalReply>((resolve) => {
    if (signal.aborted || askers.length === 0) return resolve({});
    signal.addEventListener("abort", () => resolve({}), { once: true });
    let open = askers.length;
    const askAndResolve = async (asker: Asker): Promise<void> => {
      const reply = await askOne(asker, question, ended, log);
      open--;
      if (reply.choice !== undefined || open === 0) resolve(reply);
    };
    for (const asker of askers) void askAndResolve(asker);
  });
  answered.abort();
  return reply;
}

async function askOne(asker: Asker, question: ApprovalQuestion, signal: AbortSignal, log: Log): Promise<ApprovalReply> {
  try {
    const choice = await asker.ask(question, signal);
    const isKnown = choice === "no" || (choice !== undefined && question.choices.includes(choice));
    return isKnown ? { choice, by: asker.kind } : {};
  } catch (error) {
    if (!signal.aborted && !isFault(error, "missing-capability")) {
      log.warn("could not ask for approval", { asker: asker.id, error });
    }
    return {};
  }
}

const choiceTitles: Readonly<Record<Choice, string>> = {
  once: "Allow this once",
  always: "Always allow this",
  never: "Never allow this",
};

/** The calling client as an asker: it shows its user a form (MCP elicitation) with the choices. */
export function createClientAsker(context: CallContext): Asker {
  return {
    id: "client",
    kind: "client",
    available: () => true,
    async ask({ text, choices }) {
      const answer = {
        type: "string",
        title: "Your answer",
        enum: choices,
        enumNames: choices.map((choice) => choiceTitles[choice]),
      };
      const requestedSchema = { type: "object", properties: { answer }, required: ["answer"] };
      const reply = await context.ask({ method: "elicitation/create", params: { message: text, requestedSchema } });
      if (reply.action === "decline") return "no";
      if (reply.action !== "accept" || typeof reply.content !== "object" || reply.content === null) return undefined;
      const chosen = "answer" in reply.content ? reply.content.answer : undefined;
      return choices.find((choice) => choice === chosen);
    },
  };
}
