import { isFault } from "../../core/fault.ts";
import { isRecord } from "../../core/is-record.ts";
import type { Log } from "../../core/log.ts";
import { fitsWhole, shownText } from "../../core/text/shown-text.ts";
import type { ApprovalAnswer, Choice } from "../advice.ts";
import type { CallerScope } from "../caller.ts";
import type { CallContext } from "../call-context.ts";
import type { Unsubscribe } from "../source.ts";

/** What a person is asked before a call may run. */
export interface ApprovalQuestion {
  /** What `clawport approve` calls it; undefined if it could not be saved. */
  readonly id: string | undefined;
  /** The name in the catalog. */
  readonly tool: string;
  readonly source: string;
  readonly caller: CallerScope & { readonly client?: string };
  /** The whole question, safe to show as it is. */
  readonly text: string;
  readonly choices: readonly Choice[];
  /** The command by which the user allows this for good. Not for the calling client, whose model could run it. */
  readonly grantCommand?: string;
  /** Milliseconds since the epoch. No answer by then is a no. */
  readonly expiresAt: number;
}

/** A way to ask a person: a terminal, the console, a desktop, the calling client. */
export interface Asker {
  readonly id: string;
  readonly kind: "console" | "terminal" | "desktop" | "client";
  /** Whether a person who may answer for this call can be asked now. */
  available(context: CallContext): boolean;
  /** Undefined if there was no answer. The signal aborts after another answer, or when time is up; a text as its reason is for the person. */
  ask(question: ApprovalQuestion, signal: AbortSignal): Promise<ApprovalAnswer | undefined>;
}

/** A tray on the desktop. While there is one, nothing else asks on the desktop: a person must not see a question twice. */
export const trayAskerId = "tray";

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
    available(context) {
      const found = [...askers].filter((asker) => asker.available(context));
      const hasTray = found.some(({ id }) => id === trayAskerId);
      return hasTray ? found.filter(({ id, kind }) => id === trayAskerId || kind !== "desktop") : found;
    },
  };
}

export interface ApprovalReply {
  /** Undefined if there was no answer. */
  readonly choice?: ApprovalAnswer;
  /** The way the answer came: the kind of the asker that brought it, or of the person who answered a call in the list. */
  readonly by?: string;
}

/** Why a question is withdrawn, for the person who sees it. */
export const answeredElsewhere = ({ choice }: ApprovalReply): string => `answered elsewhere: ${choice}`;

/**
 * Asks all at once. The first answer counts and ends the other questions. Without an answer in time the reply is empty.
 */
export async function askAll(
  askers: readonly Asker[],
  question: ApprovalQuestion,
  signal: AbortSignal,
  log: Log,
): Promise<ApprovalReply> {
  const answered = new AbortController();
  const ended = AbortSignal.any([signal, answered.signal]);
  const reply = await new Promise<ApprovalReply>((resolve) => {
    if (signal.aborted) return resolve({});
    signal.addEventListener("abort", () => resolve({}), { once: true });
    let open = askers.length;
    const askAndResolve = async (asker: Asker): Promise<void> => {
      const reply = await askOne(asker, question, ended, log);
      open--;
      if (reply.choice !== undefined || open === 0) resolve(reply);
    };
    for (const asker of askers) void askAndResolve(asker);
  });
  answered.abort(answeredElsewhere(reply));
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

/** What a command whose call waits is sent in a log line, if its user can be asked. */
export interface ApprovalNotice {
  /** The id of the call. */
  readonly approval: string;
  /** Whether the command is to ask its user. If not, someone else is asked. */
  readonly asks: boolean;
  /** Where the question is asked. */
  readonly text: string;
}

export function isApprovalNotice(data: unknown): data is ApprovalNotice {
  if (!isRecord(data)) return false;
  return typeof data.approval === "string" && typeof data.asks === "boolean" && typeof data.text === "string";
}

/** A client may cut off what is longer. */
const clientRoom = { maxLength: 4000, maxLines: 100 };

const tooLongFor = (tool: string): string =>
  `A call of ${shownText(tool)} needs approval. It is too long to show here, so it can only be refused here. Open Clawport's console to see and approve it.`;

const choiceTitles: Readonly<Record<ApprovalAnswer, string>> = {
  no: "Do not allow this",
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
    async ask({ text, choices, tool }) {
      const isWhole = fitsWhole(text, clientRoom);
      const offered: readonly ApprovalAnswer[] = isWhole ? choices : ["no"];
      const answer = {
        type: "string",
        title: "Your answer",
        enum: offered,
        enumNames: offered.map((choice) => choiceTitles[choice]),
      };
      const requestedSchema = { type: "object", properties: { answer }, required: ["answer"] };
      const message = isWhole ? text : tooLongFor(tool);
      const reply = await context.ask({ method: "elicitation/create", params: { message, requestedSchema } });
      if (reply.action === "decline") return "no";
      if (reply.action !== "accept" || typeof reply.content !== "object" || reply.content === null) return undefined;
      const chosen = "answer" in reply.content ? reply.content.answer : undefined;
      return offered.find((choice) => choice === chosen);
    },
  };
}
