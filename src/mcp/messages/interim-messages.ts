import { roundNumbers } from "../../core/exact-number.ts";
import { asRecord } from "../../core/is-record.ts";
import { lazyCrypto } from "../../core/secrets/crypto.ts";
import type { Params } from "./json-rpc.ts";
import type { Era } from "./protocol-version.ts";

/** How far a call has come. `progress` never decreases. */
export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** The eight levels of RFC 5424, least severe first: `isAtLeast` depends on the order. */
export const logLevels = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"] as const;

export type McpLogLevel = (typeof logLevels)[number];

export function isLevelAtLeast(level: McpLogLevel, threshold: McpLogLevel): boolean {
  return logLevels.indexOf(level) >= logLevels.indexOf(threshold);
}

/** A log line meant for the calling client (MCP `notifications/message`). */
export interface ClientLogLine {
  readonly level: McpLogLevel;
  readonly logger?: string;
  readonly data: unknown;
}

const questionMethods = ["elicitation/create", "sampling/createMessage", "roots/list"] as const;

/**
 * A question to the client: to its user (elicitation), to its model (sampling), or for its folders (roots). It has the
 * shape of an MCP `inputRequests` entry. In the legacy era it travels as a separate request.
 */
export interface Question {
  readonly method: (typeof questionMethods)[number];
  readonly params?: Readonly<Record<string, unknown>>;
}

/**
 * A question as the era of its client has it: 2025-11-25 names a URL to open with an id, which 2026-07-28 has removed.
 */
export function questionIn(era: Era, question: Question): Question {
  const { params } = question;
  if (params?.mode !== "url" || (params.elicitationId === undefined) === (era === "modern")) return question;
  const { elicitationId: _, ...rest } = params;
  return { ...question, params: era === "modern" ? rest : { ...rest, elicitationId: lazyCrypto().randomUUID() } };
}

/** The client's result object, unchecked. */
export type Answer = Readonly<Record<string, unknown>>;

/**
 * In an answer that a relay of ours forwards: the JSON-RPC error that its client sent instead. 2026-07-28 has no error among
 * its answers, and without it the server would wait for one.
 */
export const answerErrorKey = "clawport/error";

const cancelledCode = -32800;

/** In place of an answer: the caller has cancelled the call that asks. Only a hub of ours understands it. */
export const cancelledAnswer: Answer = {
  [answerErrorKey]: { code: cancelledCode, message: "The caller cancelled the call." },
};

export function isCancelledAnswer(answer: unknown): boolean {
  return asRecord(asRecord(answer)[answerErrorKey]).code === cancelledCode;
}

export function isQuestionMethod(method: unknown): method is Question["method"] {
  return questionMethods.includes(method as Question["method"]);
}

const maxLoggerLength = 200;

/** The log line in `notifications/message`. An unknown level counts as `info`. */
export function logLineOf({ level, logger, data }: Params): ClientLogLine {
  return {
    level: logLevels.includes(level as McpLogLevel) ? (level as McpLogLevel) : "info",
    ...(typeof logger === "string" ? { logger: logger.slice(0, maxLoggerLength) } : {}),
    data: data ?? null,
  };
}

/** The progress in `notifications/progress`; NaN if it says none. It is compared and shown, so it is rounded. */
export function progressOf(params: Params): Progress {
  const { progress, total, message } = roundNumbers(params) as Params;
  return {
    progress: typeof progress === "number" ? progress : Number.NaN,
    ...(typeof total === "number" ? { total } : {}),
    ...(typeof message === "string" ? { message } : {}),
  };
}
