import { messageOf } from "../../../core/fault.ts";
import { asRecord } from "../../../core/is-record.ts";
import { visibleText } from "../../../core/text/peer-text.ts";
import type { Answer } from "../../../mcp/messages/interim-messages.ts";
import type { GatewayConnection, GatewayEvent } from "../../../openclaw/open-gateway.ts";
import type { ReplyOptions } from "../reply-backend.ts";

/** With texts that are safe to show. */
interface AgentQuestion {
  readonly questionId: string;
  readonly header: string;
  readonly question: string;
  /** The choices: from the text that is shown to the label that OpenClaw expects. */
  readonly labels: ReadonlyMap<string, string>;
  readonly multiSelect: boolean;
  readonly isOther: boolean;
  readonly isSecret: boolean;
}

interface QuestionRecord {
  readonly id: string;
  readonly runId: unknown;
  readonly sessionKey: unknown;
  /** undefined if they can't be read. */
  readonly questions: readonly AgentQuestion[] | undefined;
}

/**
 * Passes the agent's questions on to the caller of the order. A question is withdrawn, so that the agent does not wait, if
 * it can't be read, if no one can be asked, or if it asks for a secret, which must not go through a client's form.
 */
export function answerQuestions(
  gateway: GatewayConnection,
  run: { readonly runId: string; readonly sessionKey: string },
  { ask, onActivity, signal, log }: ReplyOptions,
): () => void {
  return gateway.onEvent((event) => {
    const asked = readQuestionEvent(event);
    if (asked === undefined) return;
    const isOurs = asked.runId === undefined ? asked.sessionKey === run.sessionKey : asked.runId === run.runId;
    if (isOurs) void answer(asked);
  });

  async function answer({ id, questions }: QuestionRecord): Promise<void> {
    try {
      const resolution = await findResolution(questions);
      await gateway.request("question.resolve", { id, ...resolution }, { signal });
    } catch (error) {
      log.warn("OpenClaw did not accept an answer", { error });
    }
  }

  async function findResolution(questions: QuestionRecord["questions"]): Promise<object> {
    if (questions === undefined || questions.some(({ isSecret }) => isSecret)) return { cancel: true };
    try {
      onActivity("waiting for an answer");
      const given = await ask({ method: "elicitation/create", params: questionForm(questions) });
      const answers = readFormAnswers(given, questions);
      return answers === undefined ? { cancel: true } : { answers: { answers } };
    } catch (error) {
      log.debug("no one could be asked", { reason: messageOf(error) });
      return { cancel: true };
    }
  }
}

function readQuestionEvent({ event, payload }: GatewayEvent): QuestionRecord | undefined {
  const { id, runId, sessionKey, questions } = asRecord(payload);
  if (event !== "question.requested" || typeof id !== "string") return undefined;
  const read = Array.isArray(questions) ? questions.map(readAgentQuestion) : [];
  const isReadable = read.length > 0 && read.every((each) => each !== undefined);
  return { id, runId, sessionKey, questions: isReadable ? read : undefined };
}

function readAgentQuestion(value: unknown): AgentQuestion | undefined {
  const { questionId, header = "", question, options, multiSelect, isOther, isSecret } = asRecord(value);
  if (typeof questionId !== "string" || typeof header !== "string" || typeof question !== "string") return undefined;
  const labels = Array.isArray(options) ? options.map((option) => asRecord(option)["label"]) : [undefined];
  if (!labels.every((label) => typeof label === "string")) return undefined;
  const shown = new Map(labels.map((label) => [visibleText(label, 200), label]));
  // If two choices look alike, we could not tell which one was chosen.
  if (shown.size < new Set(labels).size) return undefined;
  return {
    questionId,
    header: visibleText(header, 200),
    question: visibleText(question, 2000),
    labels: shown,
    multiSelect: multiSelect === true,
    isOther: isOther === true,
    isSecret: isSecret === true,
  };
}

function questionForm(questions: readonly AgentQuestion[]): Record<string, unknown> {
  const properties = questions.map((each) => [each.questionId, formField(each)] as const);
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

function formField({ header, question, multiSelect, isOther, ...choice }: AgentQuestion): Record<string, unknown> {
  const labels = [...choice.labels.keys()];
  const base = { title: header, description: question };
  if (labels.length === 0 || isOther) {
    const hint = labels.length === 0 ? "" : ` (${labels.join(", ")}, or something else)`;
    return { ...base, type: "string", description: `${question}${hint}` };
  }
  if (multiSelect) return { ...base, type: "array", items: { type: "string", enum: labels } };
  return { ...base, type: "string", enum: labels };
}

/** undefined if the form was declined or cancelled. */
function readFormAnswers(given: Answer, questions: readonly AgentQuestion[]): Record<string, string[]> | undefined {
  const { action, content } = given;
  if (action !== "accept" || typeof content !== "object" || content === null) return undefined;
  const fields = content as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    questions.map(({ questionId, labels }) => {
      const value = fields[questionId];
      const values: readonly unknown[] = Array.isArray(value) ? value : value === undefined ? [] : [value];
      return [questionId, values.map((each) => labels.get(String(each)) ?? String(each))];
    }),
  );
}
