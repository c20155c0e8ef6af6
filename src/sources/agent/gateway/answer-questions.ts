import { messageOf } from "../../../core/thrown.ts";
import type { Answer } from "../../../mcp/question.ts";
import type { ReplyOptions } from "../reply.ts";
import type { Gateway } from "./open-gateway.ts";

interface AgentQuestion {
  readonly questionId: string;
  readonly header: string;
  readonly question: string;
  readonly options: readonly { readonly label: string }[];
  readonly multiSelect?: boolean;
  readonly isOther?: boolean;
  readonly isSecret?: boolean;
}

interface QuestionRecord {
  readonly id: string;
  readonly runId?: string;
  readonly sessionKey?: string;
  readonly questions: readonly AgentQuestion[];
}

/**
 * Passes what the agent asks back on to whoever gave the order. A question that nobody can be asked, or that asks for a
 * secret (which must not travel through a client's form), is withdrawn, so that the agent goes on without waiting.
 */
export function answerQuestions(
  gateway: Gateway,
  run: { readonly runId: string; readonly sessionKey: string },
  { ask, onActivity, signal, log }: ReplyOptions,
): () => void {
  return gateway.onEvent(({ event, payload }) => {
    if (event !== "question.requested") return;
    const asked = payload as QuestionRecord;
    const isOurs = asked.runId === undefined ? asked.sessionKey === run.sessionKey : asked.runId === run.runId;
    if (isOurs) void answer(asked);
  });

  async function answer({ id, questions }: QuestionRecord): Promise<void> {
    const resolution = await findResolution(questions);
    try {
      await gateway.request("question.resolve", { id, ...resolution }, { signal });
    } catch (error) {
      log.warn("an answer did not reach OpenClaw", { error });
    }
  }

  async function findResolution(questions: readonly AgentQuestion[]): Promise<object> {
    if (questions.some(({ isSecret }) => isSecret === true)) return { cancel: true };
    try {
      onActivity("waiting for an answer");
      const given = await ask({ method: "elicitation/create", params: formOf(questions) });
      const answers = readAnswers(given, questions);
      return answers === undefined ? { cancel: true } : { answers: { answers } };
    } catch (error) {
      log.debug("nobody could be asked", { reason: messageOf(error) });
      return { cancel: true };
    }
  }
}

function formOf(questions: readonly AgentQuestion[]): Record<string, unknown> {
  const properties = questions.map((each) => [each.questionId, fieldOf(each)] as const);
  return {
    mode: "form",
    message: questions.map(({ question }) => question).join("\n"),
    requestedSchema: {
      type: "object",
      properties: Object.fromEntries(properties),
      required: questions.map(({ questionId }) => questionId),
    },
  };
}

function fieldOf({ header, question, options, multiSelect, isOther }: AgentQuestion): Record<string, unknown> {
  const labels = options.map(({ label }) => label);
  const base = { title: header, description: question };
  if (labels.length === 0 || isOther === true) {
    const hint = labels.length === 0 ? "" : ` (${labels.join(", ")}, or something else)`;
    return { ...base, type: "string", description: `${question}${hint}` };
  }
  if (multiSelect === true) return { ...base, type: "array", items: { type: "string", enum: labels } };
  return { ...base, type: "string", enum: labels };
}

/** Nothing where the form was declined or cancelled. */
function readAnswers(given: Answer, questions: readonly AgentQuestion[]): Record<string, string[]> | undefined {
  const { action, content } = given;
  if (action !== "accept" || typeof content !== "object" || content === null) return undefined;
  const fields = content as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    questions.map(({ questionId }) => {
      const value = fields[questionId];
      const values: readonly unknown[] = Array.isArray(value) ? value : value === undefined ? [] : [value];
      return [questionId, values.map(String)];
    }),
  );
}
