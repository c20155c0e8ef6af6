import { Fault } from "../../core/fault.ts";
import { type Answer, isQuestionMethod, type Question } from "../messages/interim-messages.ts";
import type { JsonRpcRequest } from "../messages/json-rpc.ts";

/** Asks the user, the model or the application behind the client. */
export type Ask = (question: Question) => Promise<Answer>;

/** The body of the response to a request of a legacy server. */
type ResponseBody =
  | { readonly result: object }
  | { readonly error: { readonly code: number; readonly message: string } };

/** Answers a question that a legacy server sent as a request. */
export async function answerQuestion(request: JsonRpcRequest, ask: Ask | undefined): Promise<ResponseBody> {
  if (!isQuestionMethod(request.method)) return answerOther(request.method);
  try {
    if (!ask) throw new Fault("missing-capability", "No one is available to answer.");
    return { result: await ask({ method: request.method, params: request.params ?? {} }) };
  } catch (error) {
    const message = error instanceof Error ? error.message : "The question could not be answered.";
    return { error: { code: -32603, message } };
  }
}

/** Answers a request that is not a question. */
export function answerOther(method: string): ResponseBody {
  return method === "ping" ? { result: {} } : { error: { code: -32601, message: "Method not found" } };
}

/** Answers the `inputRequests` of a modern server's `input_required` result. */
export async function answerInputRequests(requests: unknown, ask: Ask | undefined): Promise<Record<string, Answer>> {
  const entries =
    typeof requests === "object" && requests !== null ? Object.entries(requests as Record<string, Question>) : [];
  const answers = await Promise.all(
    entries.map(async ([key, question]) => {
      if (!ask) throw new Fault("missing-capability", "The server asks a question, but no one is available to answer.");
      if (!isQuestionMethod(question?.method))
        throw new Fault("missing-capability", "The server asks a question that this client does not support.");
      return [key, await ask(question)] as const;
    }),
  );
  return Object.fromEntries(answers);
}
