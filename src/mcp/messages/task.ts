import { Fault } from "../../core/fault.ts";
import { isRecord } from "../../core/is-record.ts";
import type { Params } from "./json-rpc.ts";
import type { Era } from "./protocol-version.ts";
import type { Tool } from "./tool.ts";

const statuses = ["working", "input_required", "completed", "failed", "cancelled"] as const;

export type TaskStatus = (typeof statuses)[number];

/** A task of a server, as both eras describe it: 2025-11-25 (Tasks) and the extension `io.modelcontextprotocol/tasks`. */
export interface TaskState {
  readonly id: string;
  readonly status: TaskStatus;
  readonly statusMessage: string | undefined;
  /** How often the server wants to be asked. */
  readonly pollMs: number | undefined;
  /** Modern era only: the open questions, the result, or the JSON-RPC error. */
  readonly inputRequests: unknown;
  readonly result: unknown;
  readonly error: unknown;
}

/** An id is sent back with every request about its task, so its size is bounded. */
const maxIdLength = 1024;
const maxMessageLength = 1000;

/** The task that a server started instead of giving a result, and in which era. Undefined if it did give a result. */
export function startedTask(result: Params): { readonly era: Era; readonly task: TaskState } | undefined {
  if (result.resultType === "task") return { era: "modern", task: parseTask(result) };
  if (result.task === undefined || result.content !== undefined || !isRecord(result.task)) return undefined;
  return { era: "legacy", task: parseTask(result.task) };
}

/** Reads what a server says about a task. Faults if it says nothing that makes sense. */
export function parseTask(value: Params): TaskState {
  const { taskId, status, statusMessage, inputRequests, result, error } = value;
  const poll = value.pollIntervalMs ?? value.pollInterval;
  if (typeof taskId !== "string" || taskId.length > maxIdLength || !statuses.includes(status as TaskStatus))
    throw new Fault("outcome-unknown", "The server described its task in a way that does not follow the protocol.");
  return {
    id: taskId,
    status: status as TaskStatus,
    statusMessage: typeof statusMessage === "string" ? statusMessage.slice(0, maxMessageLength) : undefined,
    pollMs: typeof poll === "number" && poll >= 0 ? poll : undefined,
    inputRequests,
    result,
    error,
  };
}

export function isOver(status: TaskStatus): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}

export type TaskSupport = "required" | "optional" | "forbidden";

/** Whether a tool can be called as a task (2025-11-25). The default is that it can't. */
export function taskSupportOf({ execution }: Tool): TaskSupport {
  const support = execution?.taskSupport;
  return support === "required" || support === "optional" ? support : "forbidden";
}

/** Tasks came with 2025-11-25. Versions are dates, so they compare as text. */
export function hasLegacyTasks(version: string): boolean {
  return version >= "2025-11-25";
}
