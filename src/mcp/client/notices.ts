import type { Params } from "../json-rpc.ts";
import { type ClientLogLine, logLevels, type McpLogLevel, type Progress } from "../progress.ts";

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
