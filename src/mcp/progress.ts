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
