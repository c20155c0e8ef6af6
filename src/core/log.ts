export type LogLevel = "debug" | "info" | "warn" | "error";

/** Where a part says what it does. `fields` are for programs; secrets in them are redacted before anything is written. */
export interface Log {
  debug(message: string, fields?: Record<string, unknown>): void;
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
  /** The same log with these fields on every line. */
  with(fields: Record<string, unknown>): Log;
}

/** For callers that want silence, and for tests. */
export const silentLog: Log = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  with: () => silentLog,
};
