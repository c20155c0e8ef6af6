import type { CallContext } from "../../catalog/call-context.ts";
import { isFault } from "../../core/fault.ts";
import { cannotAsk } from "../../mcp/messages/client-facts.ts";
import type { Answer, Question } from "../../mcp/messages/interim-messages.ts";
import type { ServerDefinition } from "./definition.ts";

/** Has a model answer a server. If the server asks during a call, the context is that of the call. */
export type SampleForServer = (server: string, question: Question, context: QuestionContext) => Promise<Answer>;

/** Where a server's question comes from. Without a caller and `ask` it belongs to no call. */
export type QuestionContext = Pick<CallContext, "signal" | "log"> & Partial<Pick<CallContext, "caller" | "ask">>;

/** Answers a question of a server: from its configuration, by asking the caller, or with a model. */
export async function answerServer(
  question: Question,
  definition: ServerDefinition,
  sample: SampleForServer | undefined,
  context: QuestionContext,
  key?: string,
): Promise<Answer> {
  // Which folders a server may know is decided by the configuration, never by the caller.
  if (question.method === "roots/list") return { roots: definition.roots };
  try {
    if (context.ask) return await context.ask(question, key);
    throw cannotAsk(question, `No client is available to answer the question of ${definition.name}.`);
  } catch (error) {
    const maySample = question.method === "sampling/createMessage" && isFault(error, "missing-capability");
    if (!maySample || !sample) throw error;
    return sampleFor(question, definition, sample, context);
  }
}

/** If the model can't answer either, the fault still says what the client would have to support. */
async function sampleFor(
  question: Question,
  definition: ServerDefinition,
  sample: SampleForServer,
  context: QuestionContext,
): Promise<Answer> {
  try {
    return await sample(definition.name, question, context);
  } catch (error) {
    throw isFault(error, "missing-capability") ? cannotAsk(question, error.message) : error;
  }
}
