import { parseJson } from "../../../core/json.ts";
import { isRecord } from "../../../core/is-record.ts";
import { logLevels, type McpLogLevel, type Question } from "../../../mcp/messages/interim-messages.ts";
import type { CallNews } from "../call/call-bus.ts";
import { maxIdLength, maxLoggerNameLength, maxProgressMessageLength } from "./bridge-limits.ts";

/** The result of a call. */
export interface AppResult {
  readonly type: "result";
  readonly requestId: string;
  readonly ok: boolean;
  readonly content: unknown;
  readonly error: unknown;
}

/** A message of an app. `malformed` breaks the protocol; `ignored` has an unknown type, or names another session. */
type AppMessage =
  | AppResult
  | { readonly type: "news"; readonly requestId: string; readonly news: CallNews }
  | { readonly type: "ping" | "pong" | "ignored" }
  | { readonly type: "malformed"; readonly why: string };

const ignored: AppMessage = { type: "ignored" };

export function readAppMessage(text: string, sessionId: string): AppMessage {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    return malformed("a message is not JSON");
  }
  if (!isRecord(value) || typeof value.type !== "string") return malformed("a message must be an object with a type");
  const { mcpSessionId } = value;
  if (mcpSessionId !== undefined && mcpSessionId !== sessionId) return ignored;
  switch (value.type) {
    case "ping":
    case "pong":
      return { type: value.type };
    case "invoke_result":
    case "invoke_progress":
    case "invoke_log":
    case "invoke_ask":
      return readAboutCall(value.type, value);
    default:
      return ignored;
  }
}

function readAboutCall(type: string, value: Record<string, unknown>): AppMessage {
  const { request_id: requestId } = value;
  if (typeof requestId !== "string" || requestId.length > maxIdLength) return malformed(`${type} needs a request_id`);
  switch (type) {
    case "invoke_result": {
      const { ok, content, error } = value;
      if (typeof ok !== "boolean") return malformed("invoke_result needs ok, true or false");
      return { type: "result", requestId, ok, content, error };
    }
    case "invoke_progress":
      return readProgress(requestId, value);
    case "invoke_log":
      return readLog(requestId, value);
    default:
      return readAsk(requestId, value);
  }
}

function readProgress(requestId: string, { progress, total, message }: Record<string, unknown>): AppMessage {
  if (typeof progress !== "number") return malformed("invoke_progress needs progress, a number");
  const said = {
    progress,
    ...(typeof total === "number" ? { total } : {}),
    ...(typeof message === "string" ? { message: message.slice(0, maxProgressMessageLength) } : {}),
  };
  return { type: "news", requestId, news: { kind: "progress", progress: said } };
}

function readLog(requestId: string, { level = "info", logger, data }: Record<string, unknown>): AppMessage {
  if (!logLevels.includes(level as McpLogLevel)) {
    return malformed(`invoke_log needs a level of ${logLevels.join(", ")}`);
  }
  const line = {
    level: level as McpLogLevel,
    ...(typeof logger === "string" ? { logger: logger.slice(0, maxLoggerNameLength) } : {}),
    data: data ?? null,
  };
  return { type: "news", requestId, news: { kind: "log", line } };
}

function readAsk(requestId: string, { ask_id: askId, params }: Record<string, unknown>): AppMessage {
  if (typeof askId !== "string" || askId.length > maxIdLength || !isRecord(params)) {
    return malformed("invoke_ask needs an ask_id and params");
  }
  // Clients refuse a form without a schema, but a yes-or-no question has no fields.
  const isForm = params.mode === undefined || params.mode === "form";
  const whole = isForm ? { requestedSchema: { type: "object", properties: {} }, ...params } : params;
  const question: Question = { method: "elicitation/create", params: whole };
  return { type: "news", requestId, news: { kind: "question", askId, question } };
}

function malformed(why: string): AppMessage {
  return { type: "malformed", why };
}
