import { Fault } from "../../core/fault.ts";
import { lazyCrypto } from "../../core/secrets/crypto.ts";
import { hasTasks } from "../messages/client-facts.ts";
import type { Question } from "../messages/interim-messages.ts";
import { rpcErrorOf } from "../messages/json-rpc.ts";
import type { ToolResult } from "../messages/tool.ts";
import type { RequestContext } from "./offer.ts";
import { createPrincipalCounter } from "./principal-counter.ts";

type TaskStatus = "working" | "input_required" | "completed" | "failed" | "cancelled";

/** A call that continues after its request was answered with a task id (extension `io.modelcontextprotocol/tasks`). */
export interface Task {
  readonly id: string;
  readonly principal: string;
  onAnswers(answers: Readonly<Record<string, unknown>>): void;
  /** The answer to the request that created the task. */
  summary(): Record<string, unknown>;
  /** The content of `tasks/get` and `notifications/tasks`. */
  detail(): Record<string, unknown>;
  setWorking(): void;
  setWaiting(inputRequests: Record<string, Question>): void;
  setStatusMessage(message: string): void;
  complete(result: object): void;
  fail(error: unknown): void;
  cancel(): void;
}

export interface NewTask {
  readonly principal: string;
  readonly statusMessage: string | undefined;
  cancel(reason: string): void;
}

export interface TaskStore {
  /** Undefined if the limit of tasks is reached, in total or for this principal. */
  create(newTask: NewTask): Task | undefined;
  /** Faults if the task is unknown, expired or another principal's. A client can't tell these apart. */
  find(id: unknown, principal: string): Task;
  onChange(listener: (task: Task) => void): () => void;
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

export function createTaskStore({ keepMs, pollMs, atMost, atMostOfOne, now }: TaskStoreOptions): TaskStore {
  const tasks = new Map<string, { task: Task; timer: NodeJS.Timeout }>();
  const listeners = new Set<(task: Task) => void>();
  const countOf = createPrincipalCounter();

  return {
    create(newTask) {
      if (tasks.size >= atMost || countOf.of(newTask.principal) >= atMostOfOne) return undefined;
      const task: Task = createTask(newTask, { ttlMs: keepMs, pollIntervalMs: pollMs }, now, () => {
        for (const listener of listeners) listener(task);
      });
      const timer = setTimeout(() => {
        tasks.delete(task.id);
        countOf.remove(task.principal);
        task.cancel();
      }, keepMs);
      timer.unref();
      tasks.set(task.id, { task, timer });
      countOf.add(task.principal);
      return task;
    },
    find(id, principal) {
      const found = typeof id === "string" ? tasks.get(id) : undefined;
      if (found?.task.principal !== principal) {
        throw new Fault("bad-params", "Unknown or expired task.");
      }
      return found.task;
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close() {
      for (const { task, timer } of tasks.values()) {
        clearTimeout(timer);
        task.cancel();
      }
      tasks.clear();
    },
  };
}

function createTask(
  newTask: NewTask,
  fixedFields: Record<string, number>,
  now: () => number,
  changed: () => void,
): Task {
  const id = lazyCrypto().randomUUID();
  const createdAt = new Date(now()).toISOString();
  let lastUpdatedAt = createdAt;
  let status: TaskStatus = "working";
  let statusMessage = newTask.statusMessage;
  let payload: Record<string, unknown> = {};

  const isOver = () => status === "completed" || status === "failed" || status === "cancelled";
  const moveTo = (next: TaskStatus, nextPayload: Record<string, unknown> = {}) => {
    if (isOver()) return;
    status = next;
    payload = nextPayload;
    lastUpdatedAt = new Date(now()).toISOString();
    changed();
  };

  return {
    id,
    principal: newTask.principal,
    onAnswers: () => {},
    summary: () => ({
      taskId: id,
      status,
      ...(statusMessage === undefined ? {} : { statusMessage }),
      createdAt,
      lastUpdatedAt,
      ...fixedFields,
    }),
    detail() {
      return { ...this.summary(), ...payload };
    },
    setWorking: () => status === "working" || moveTo("working"),
    setWaiting: (inputRequests) => moveTo("input_required", { inputRequests }),
    setStatusMessage(message) {
      statusMessage = message.slice(0, 1000);
      moveTo(status, payload);
    },
    complete: (result) => moveTo("completed", { result }),
    fail(thrown) {
      const error = rpcErrorOf(thrown, "modern");
      if (!isOver()) statusMessage = error.message;
      moveTo("failed", { error });
    },
    cancel() {
      if (isOver()) return;
      moveTo("cancelled");
      newTask.cancel("The task was cancelled.");
    },
  };
}

export interface DetachOptions {
  readonly status?: string;
  /** Transforms the result of a call that became a task. The result stays in memory until the client fetches it. */
  keep?(result: ToolResult): ToolResult;
}

const noDetachOptions: DetachOptions = {};

/** If the result takes longer than `afterMs` and the client supports tasks, the client gets a task instead of waiting. */
export function detachAfter(
  result: Promise<ToolResult>,
  request: RequestContext,
  afterMs = 10_000,
  options = noDetachOptions,
): Promise<ToolResult> {
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
