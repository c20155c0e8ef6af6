import { Fault } from "../../core/fault.ts";
import { lazyCrypto } from "../../core/secrets/crypto.ts";
import { hasTasks } from "../messages/client-facts.ts";
import type { Question } from "../messages/interim-messages.ts";
import { rpcErrorOf } from "../messages/json-rpc.ts";
import { isOver, type TaskStatus } from "../messages/task.ts";
import type { ToolResult } from "../messages/tool.ts";
import type { RequestContext } from "./offer.ts";
import { createPrincipalCounter } from "./principal-counter.ts";

/**
 * A call that continues after its request was answered with a task id: the extension `io.modelcontextprotocol/tasks` of
 * 2026-07-28, or a task of 2025-11-25.
 */
export interface Task {
  readonly id: string;
  readonly principal: string;
  readonly status: TaskStatus;
  /** What the call ended with. Undefined while it runs, and if it was cancelled. */
  readonly outcome: TaskOutcome | undefined;
  /** The questions that wait for an answer. */
  readonly inputRequests: Readonly<Record<string, Question>>;
  onAnswers(answers: Readonly<Record<string, unknown>>): void;
  /** The answer to the request that created the task. */
  summary(): Record<string, unknown>;
  /** The content of `tasks/get` and `notifications/tasks`. */
  detail(): Record<string, unknown>;
  /** The task as 2025-11-25 shows it. */
  legacy(): Record<string, unknown>;
  setWorking(): void;
  setWaiting(inputRequests: Record<string, Question>): void;
  setStatusMessage(message: string): void;
  complete(result: object): void;
  fail(error: unknown): void;
  cancel(): void;
}

export type TaskOutcome = { readonly result: object } | { readonly error: unknown };

export interface NewTask {
  readonly principal: string;
  readonly statusMessage: string | undefined;
  /** How long the client wants it kept; never longer than the store keeps tasks. */
  readonly ttlMs?: number | undefined;
  cancel(reason: string): void;
}

export interface TaskStore {
  /** Undefined if the limit of tasks is reached, in total or for this principal. */
  create(newTask: NewTask): Task | undefined;
  /** Faults if the task is unknown, expired or another principal's. A client can't tell these apart. */
  find(id: unknown, principal: string): Task;
  of(principal: string): readonly Task[];
  onChange(listener: (task: Task) => void): () => void;
  /** Cancels and forgets the tasks of a principal: another one may get its name. */
  endAllOf(principal: string): void;
  close(): void;
}

export interface TaskStoreOptions {
  readonly keepMs: number;
  readonly pollMs: number;
  readonly atMost: number;
  /** The limit per principal, so that one principal can't use up the total. */
  readonly atMostOfOne: number;
  readonly now: () => number;
}

/** A client that asks for less could not even fetch the result. */
const shortestTtlMs = 1000;

export function createTaskStore({ keepMs, pollMs, atMost, atMostOfOne, now }: TaskStoreOptions): TaskStore {
  const tasks = new Map<string, { task: Task; timer: NodeJS.Timeout }>();
  const listeners = new Set<(task: Task) => void>();
  const countOf = createPrincipalCounter();

  return {
    create(newTask) {
      if (tasks.size >= atMost || countOf.of(newTask.principal) >= atMostOfOne) return undefined;
      const ttlMs = Math.min(Math.max(newTask.ttlMs ?? keepMs, shortestTtlMs), keepMs);
      const task: Task = createTask(newTask, { ttlMs, pollMs }, now, () => {
        for (const listener of listeners) listener(task);
      });
      const timer = setTimeout(() => drop(task), ttlMs);
      timer.unref();
      tasks.set(task.id, { task, timer });
      countOf.add(task.principal);
      return task;
    },
    find(id, principal) {
      const found = typeof id === "string" ? tasks.get(id) : undefined;
      if (found?.task.principal !== principal) {
        throw new Fault("bad-params", "Unknown or expired task. Tasks do not outlive a restart of this server.");
      }
      return found.task;
    },
    of: (principal) => [...tasks.values()].flatMap(({ task }) => (task.principal === principal ? [task] : [])),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    endAllOf(principal) {
      for (const { task } of tasks.values()) if (task.principal === principal) drop(task);
    },
    close() {
      for (const { task } of tasks.values()) drop(task);
    },
  };

  function drop(task: Task): void {
    clearTimeout(tasks.get(task.id)?.timer);
    if (tasks.delete(task.id)) countOf.remove(task.principal);
    task.cancel();
  }
}

function createTask(
  newTask: NewTask,
  { ttlMs, pollMs }: { readonly ttlMs: number; readonly pollMs: number },
  now: () => number,
  changed: () => void,
): Task {
  const id = lazyCrypto().randomUUID();
  const createdAt = new Date(now()).toISOString();
  let lastUpdatedAt = createdAt;
  let status: TaskStatus = "working";
  let statusMessage = newTask.statusMessage;
  let inputRequests: Record<string, Question> = {};
  let outcome: TaskOutcome | undefined;

  const moveTo = (next: TaskStatus, questions: Record<string, Question> = {}) => {
    if (isOver(status)) return;
    status = next;
    inputRequests = questions;
    lastUpdatedAt = new Date(now()).toISOString();
    changed();
  };
  const endAs = (next: TaskStatus, ending: TaskOutcome | undefined, message = statusMessage) => {
    if (isOver(status)) return;
    outcome = ending;
    statusMessage = message;
    moveTo(next);
  };
  const base = (shown: TaskStatus) => ({
    taskId: id,
    status: shown,
    ...(statusMessage === undefined ? {} : { statusMessage }),
    createdAt,
    lastUpdatedAt,
  });

  return {
    id,
    principal: newTask.principal,
    get status() {
      return status;
    },
    get outcome() {
      return outcome;
    },
    get inputRequests() {
      return inputRequests;
    },
    onAnswers: () => {},
    summary: () => ({ ...base(status), ttlMs, pollIntervalMs: pollMs }),
    detail() {
      return { ...this.summary(), ...payloadOf(status, inputRequests, outcome) };
    },
    legacy: () => {
      // 2025-11-25, Task Status: the task of a tool that reports an error has failed.
      const hasFailed = outcome !== undefined && "result" in outcome && (outcome.result as ToolResult).isError === true;
      return { ...base(hasFailed ? "failed" : status), ttl: ttlMs, pollInterval: pollMs };
    },
    setWorking: () => status === "working" || moveTo("working"),
    setWaiting: (questions) => moveTo("input_required", questions),
    setStatusMessage(message) {
      statusMessage = message.slice(0, 1000);
      moveTo(status, inputRequests);
    },
    complete: (result) => endAs("completed", { result }),
    fail: (error) => endAs("failed", { error }, rpcErrorOf(error, "modern").message),
    cancel() {
      if (isOver(status)) return;
      endAs("cancelled", undefined);
      newTask.cancel("The task was cancelled.");
    },
  };
}

/** The field that a status adds in the modern era. */
function payloadOf(
  status: TaskStatus,
  inputRequests: Readonly<Record<string, Question>>,
  outcome: TaskOutcome | undefined,
): Record<string, unknown> {
  if (status === "input_required") return { inputRequests };
  if (outcome === undefined) return {};
  return "result" in outcome ? { result: outcome.result } : { error: rpcErrorOf(outcome.error, "modern") };
}

export interface DetachOptions {
  readonly status?: string;
  /** Transforms the result of a call that became a task. The result stays in memory until the client fetches it. */
  keep?(result: ToolResult): ToolResult;
}

const noDetachOptions: DetachOptions = {};

/**
 * If the result takes longer than `afterMs` and the client supports tasks, the client gets a task instead of waiting. A
 * client of 2025-11-25 asks for a task itself, and has it already.
 */
export function detachAfter(
  result: Promise<ToolResult>,
  request: RequestContext,
  afterMs = 10_000,
  options = noDetachOptions,
): Promise<ToolResult> {
  if (request.isTask) return options.keep ? result.then((found) => options.keep!(found)) : result;
  return hasTasks(request.client) ? waitOrDetach(result, request, afterMs, options) : result;
}

async function waitOrDetach(
  result: Promise<ToolResult>,
  request: RequestContext,
  afterMs: number,
  { status = "Still running.", keep }: DetachOptions,
): Promise<ToolResult> {
  let isTask = false;
  const timer = setTimeout(() => (isTask = request.detach(status)), afterMs);
  try {
    const found = await result;
    return isTask && keep ? keep(found) : found;
  } finally {
    clearTimeout(timer);
  }
}
