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
  /** Milliseconds since the epoch: from then on no answer is a no. */
  readonly expiresAt: number;
}

/** Somebody who can put a question to a person. */
export interface Asker {
  readonly id: string;
  readonly kind: "console" | "terminal" | "desktop" | "client";
  /** Whether there is a person behind it now who may answer for this call. */
  available(context: CallContext): boolean;
  /** Nothing where there was no answer. The signal ends when somebody else has answered or it is too late. */
  ask(question: ApprovalQuestion, signal: AbortSignal): Promise<ApprovalAnswer | undefined>;
}

/** Everybody who can ask now. They come and go while the guard lives. */
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
  /** One tool and one caller: there is at most one question about these at a time. */
  readonly about: string;
  readonly question: ApprovalQuestion;
  readonly askers: readonly Asker[];
  /** Ends the wait of this call; the question itself goes on while another call waits for it. */
  readonly signal: AbortSignal;
  /** Keeps a lasting answer, once for all who wait. */
  settle(reply: ApprovalReply): Promise<void>;
}

export interface ApprovalQuestions {
  /**
   * The answer; or `again` where another question about the same was answered meanwhile, which may have made this one
   * needless.
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
      // A person who did not answer the first is not asked the next at once.
      return entry.text === request.question.text || reply.choice === undefined ? reply : "again";
    },
  };
}

export interface ApprovalReply {
  /** Nothing where nobody answered. */
  readonly choice?: ApprovalAnswer;
  /** The kind of the asker that brought the answer. */
  readonly by?: string;
}

/**
 * Asks all at once; the first answer counts and ends the others. No answer from any, or none in time, is an empty
 * reply.
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
    const hear = async (asker: Asker): Promise<void> => {
      const reply = await askOne(asker, question, ended, log);
      open--;
      if (reply.choice !== undefined || open === 0) resolve(reply);
    };
    for (const asker of askers) void hear(asker);
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
      log.warn("a question could not be put", { asker: asker.id, error });
    }
    return {};
  }
}

const choiceTitles: Readonly<Record<Choice, string>> = {
  once: "Allow this once",
  always: "Always allow this",
  never: "Never allow this",
};

/** The calling client as an asker: a form (MCP elicitation) with the choices, put to whoever sits there. */
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
