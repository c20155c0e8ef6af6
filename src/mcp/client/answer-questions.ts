import { Fault, isFault, messageOf } from "../../core/fault.ts";
import { asRecord } from "../../core/is-record.ts";
import { cannotAsk } from "../messages/client-facts.ts";
import {
  type Answer,
  answerErrorKey,
  cancelledAnswer,
  isQuestionMethod,
  type Question,
} from "../messages/interim-messages.ts";
import { AnswerFault, type JsonRpcRequest, type RpcError } from "../messages/json-rpc.ts";

/** Asks the user, the model or the application behind the client. `key` is the name that a modern server gives the question. */
export type Ask = (question: Question, key?: string) => Promise<Answer>;

const maxKeyLength = 200;

/** The body of the response to a request of a legacy server. */
type ResponseBody = { readonly result: object } | { readonly error: RpcError };

/** Answers a question that a legacy server sent as a request. It gets the error of whoever did not answer. */
export async function answerQuestion(request: JsonRpcRequest, ask: Ask | undefined): Promise<ResponseBody> {
  if (!isQuestionMethod(request.method)) return answerOther(request.method);
  const question: Question = { method: request.method, params: request.params ?? {} };
  try {
    if (!ask) throw cannotAsk(question, "No one is available to answer.");
    return { result: await ask(question) };
  } catch (error) {
    return { error: errorOf(error) };
  }
}

function errorOf(error: unknown): RpcError {
  if (error instanceof AnswerFault) return error.error;
  return { code: -32603, message: error instanceof Error ? error.message : "The question could not be answered." };
}

/** Answers a request that is not a question. */
export function answerOther(method: string): ResponseBody {
  return method === "ping" ? { result: {} } : { error: { code: -32601, message: "Method not found" } };
}

/** Answers the `inputRequests` of a modern server's `input_required` result. `toHub`: the server takes our errors. */
export async function answerInputRequests(
  requests: unknown,
  ask: Ask | undefined,
  toHub: boolean,
): Promise<Record<string, Answer>> {
  const answers = await Promise.allSettled(
    Object.entries(asRecord(requests)).map(async ([key, question]) => {
      const asked: Ask | undefined = ask && ((each) => ask(each, key.slice(0, maxKeyLength)));
      return [key, await answerInput(question as Question, asked, toHub)] as const;
    }),
  );
  // All of them have ended by now: no question stays open at the client of a call that is over.
  const failed = answers.find((answer) => answer.status === "rejected");
  if (failed) throw failed.reason;
  return Object.fromEntries(answers.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value] : [])));
}

/** The answers with which a call is given up while the server waits for its user. */
export function cancelInputRequests(requests: unknown, toHub: boolean): Record<string, Answer> {
  const entries = Object.entries(asRecord(requests));
  if (toHub) return Object.fromEntries(entries.map(([key]) => [key, cancelledAnswer]));
  const forms = entries.filter(([, question]) => asRecord(question).method === "elicitation/create");
  return Object.fromEntries(forms.map(([key]) => [key, { action: "cancel" }]));
}

/**
 * 2026-07-28 has no error among its answers. A form or a URL can be cancelled, which tells the server that there was no
 * choice. Any other question ends the call: without its answer, the server would ask again.
 */
async function answerInput(question: Question, ask: Ask | undefined, toHub: boolean): Promise<Answer> {
  if (!isQuestionMethod(asRecord(question).method))
    throw new Fault("missing-capability", "The server asks a question that this client does not support.", {
      detail: { requiredCapabilities: {} },
    });
  if (!ask) throw cannotAsk(question, "The server asks a question, but no one is available to answer.");
  try {
    return await ask(question);
  } catch (error) {
    if (isFault(error, "missing-capability") || isFault(error, "cancelled")) throw error;
    if (toHub) return { [answerErrorKey]: errorOf(error) };
    if (question.method === "elicitation/create") return { action: "cancel" };
    throw unanswered(error);
  }
}

/** Why there was no answer says nothing about the server: its code must not look as if the server could not be reached. */
function unanswered(cause: unknown): Fault {
  return new Fault(
    "unanswered",
    `The call ended because a question of the server was not answered. ${messageOf(cause)} What the call did before it asked is done; it was not repeated.`,
    { cause },
  );
}
