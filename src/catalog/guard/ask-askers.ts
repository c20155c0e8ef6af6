import { isFault } from "../../core/fault.ts";
import type { Log } from "../../core/log.ts";
import type { Said } from "../opinion.ts";
import type { ApprovalQuestion, Asker } from "./askers.ts";

export interface Reply {
  /** Nothing where nobody answered. */
  readonly choice?: Said;
  /** The kind of the asker that brought the answer. */
  readonly by?: string;
}

/**
 * Asks all at once; the first answer counts and ends the others. No answer from any, or none in time, is an empty
 * reply.
 */
export async function askAskers(
  askers: readonly Asker[],
  question: ApprovalQuestion,
  signal: AbortSignal,
  log: Log,
): Promise<Reply> {
  const answered = new AbortController();
  const ended = AbortSignal.any([signal, answered.signal]);
  const reply = await new Promise<Reply>((resolve) => {
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

async function askOne(asker: Asker, question: ApprovalQuestion, signal: AbortSignal, log: Log): Promise<Reply> {
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
