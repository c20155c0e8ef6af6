import type { Params } from "./json-rpc.ts";

/** How far a call has come. `progress` only ever grows. */
export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** The eight levels of RFC 5424, mildest first: the order is what a client's log level compares against. */
export const logLevels = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"] as const;

export type McpLogLevel = (typeof logLevels)[number];

/** A log line meant for the calling client (MCP `notifications/message`). */
export interface ClientLogLine {
  readonly level: McpLogLevel;
  readonly logger?: string;
  readonly data: unknown;
}

/**
 * Something only the other side can answer: its person (elicitation), its model (sampling) or its folders (roots).
 * The shape is that of an MCP `inputRequests` entry; in the older eras it travels as a request of its own.
 */
export interface Question {
  readonly method: "elicitation/create" | "sampling/createMessage" | "roots/list";
  readonly params?: Readonly<Record<string, unknown>>;
}

/** The result object of the answered request, as the client sent it: check it before use. */
export type Answer = Readonly<Record<string, unknown>>;

const longestLogger = 200;

/** What `notifications/message` says, as a line for whoever called. A level that does not exist counts as `info`. */
export function logLineOf({ level, logger, data }: Params): ClientLogLine {
  return {
    level: logLevels.includes(level as McpLogLevel) ? (level as McpLogLevel) : "info",
    ...(typeof logger === "string" ? { logger: logger.slice(0, longestLogger) } : {}),
    data: data ?? null,
  };
}

/** What `notifications/progress` says. */
export function progressOf({ progress, total, message }: Params): Progress {
  return {
    progress: Number(progress),
    ...(typeof total === "number" ? { total } : {}),
    ...(typeof message === "string" ? { message } : {}),
  };
}
