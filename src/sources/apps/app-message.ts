import { isRecord } from "../../core/is-record.ts";
import { logLevels, type McpLogLevel } from "../../mcp/progress.ts";
import type { CallNews } from "./bus.ts";

/** What an app may send over its bridge. */
export type AppMessage =
  | {
      readonly type: "invoke_result";
      readonly requestId: string;
      readonly ok: boolean;
      readonly content: unknown;
      readonly error: unknown;
    }
  | {
      readonly type: "invoke_progress";
      readonly requestId: string;
      readonly progress: number;
      readonly total?: number;
      readonly message?: string;
    }
  | {
      readonly type: "invoke_log";
      readonly requestId: string;
      readonly level: McpLogLevel;
      readonly logger?: string;
      readonly data: unknown;
    }
  | {
      readonly type: "invoke_ask";
      readonly requestId: string;
      readonly askId: string;
      readonly params: Readonly<Record<string, unknown>>;
    }
  | { readonly type: "ping" | "pong" };

/** `malformed` breaks the protocol; `ignored` is something we don't know, or that is meant for another session. */
export type Reading = AppMessage | { readonly type: "malformed"; readonly why: string } | { readonly type: "ignored" };

const longestId = 256;
const ignored: Reading = { type: "ignored" };

export function readAppMessage(text: string, sessionId: string): Reading {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return malformed("a message is not JSON");
  }
  if (!isRecord(value) || typeof value.type !== "string") return malformed("a message has to be an object with a type");
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

function readAboutCall(type: string, value: Record<string, unknown>): Reading {
  const { request_id: requestId } = value;
  if (typeof requestId !== "string" || requestId.length > longestId) return malformed(`${type} needs a request_id`);
  if (type === "invoke_result") {
    const { ok, content, error } = value;
    if (typeof ok !== "boolean") return malformed("invoke_result needs ok, true or false");
    return { type, requestId, ok, content, error };
  }
  if (type === "invoke_progress") {
    const { progress, total, message } = value;
    if (typeof progress !== "number") return malformed("invoke_progress needs progress, a number");
    return {
      type,
      requestId,
      progress,
      ...(typeof total === "number" ? { total } : {}),
      ...(typeof message === "string" ? { message: message.slice(0, 1000) } : {}),
    };
  }
  if (type === "invoke_log") {
    const { level = "info", logger, data } = value;
    if (!logLevels.includes(level as McpLogLevel))
      return malformed(`invoke_log needs a level of ${logLevels.join(", ")}`);
    return {
      type,
      requestId,
      level: level as McpLogLevel,
      ...(typeof logger === "string" ? { logger: logger.slice(0, 200) } : {}),
      data: data ?? null,
    };
  }
  const { ask_id: askId, params } = value;
  if (typeof askId !== "string" || askId.length > longestId || !isRecord(params)) {
    return malformed("invoke_ask needs an ask_id and params");
  }
  return { type: "invoke_ask", requestId, askId, params };
}

type NewsMessage = Extract<AppMessage, { type: "invoke_progress" | "invoke_log" | "invoke_ask" }>;

/** What such a message is to whoever waits for the call. */
export function newsOf(message: NewsMessage): CallNews {
  switch (message.type) {
    case "invoke_progress": {
      const { type: _, requestId: __, ...progress } = message;
      return { kind: "progress", progress };
    }
    case "invoke_log": {
      const { type: _, requestId: __, ...line } = message;
      return { kind: "log", line };
    }
    case "invoke_ask": {
      const { askId, params } = message;
      return { kind: "question", askId, question: { method: "elicitation/create", params } };
    }
  }
}

function malformed(why: string): Reading {
  return { type: "malformed", why };
}
