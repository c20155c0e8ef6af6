import type { CallLimits } from "./call-deadline.ts";
import type { Abort } from "../../core/lazy-abort.ts";
import type { Params } from "../messages/json-rpc.ts";
import type { TraceFields } from "../../core/telemetry/trace-context.ts";
import type { ClientIdentity } from "../messages/envelope.ts";
import type { ClientLogLine, McpLogLevel, Progress } from "../messages/interim-messages.ts";
import type { Ask } from "./answer-questions.ts";

export interface CallOptions extends CallLimits {
  /** What ends the request early; `abort` counts if both are given. */
  readonly signal?: AbortSignal | undefined;
  readonly abort?: Abort | undefined;
  /** Headers that repeat parts of the request. Only the modern era has them. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly meta?: Params | undefined;
  /** The trace that the request belongs to. It goes into `_meta`, and into the headers if there are any, in both eras. */
  readonly trace?: TraceFields | undefined;
  /** Whose identity the request carries, if not this client's own. Only the modern era has one per request. */
  readonly as?: Partial<ClientIdentity> | undefined;
  /** The lowest level of log lines to request. Modern servers send none without it. */
  readonly logLevel?: McpLogLevel | undefined;
  onProgress?(progress: Progress): void;
  /** Called with the log lines that the server sends for this call. */
  onLog?(line: ClientLogLine): void;
  /** Answers the questions that the server asks for this call. */
  ask?: Ask | undefined;
  /** The server is a hub of ours, which takes an error as an answer. */
  readonly toHub?: boolean | undefined;
  /** If the server starts a task, its progress and its questions belong to this call until the signal aborts. */
  readonly taskUntil?: AbortSignal | undefined;
  /** The task that the request is about. */
  readonly taskId?: string | undefined;
}

export function signalOf({ abort, signal }: Pick<CallOptions, "abort" | "signal">): AbortSignal | undefined {
  return abort?.signal ?? signal;
}
