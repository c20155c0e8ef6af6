import { Fault } from "../../core/fault.ts";
import { lazyCrypto } from "../../core/secrets/crypto.ts";
import { hasTasks } from "../messages/client-facts.ts";
import type { Question } from "../messages/interim-messages.ts";
import { rpcErrorOf } from "../messages/json-rpc.ts";
import type { ToolResult } from "../messages/tool.ts";
import type { RequestContext } from "./offer.ts";
import { createPrincipalCounter } from "./principal-counter.ts";

type TaskStatus = "working" | "input_required" | "completed" | "failed" | "cancelled";

/** A call that goes on after its request was answered with a handle (extension `io.modelcontextprotocol/tasks`). */
export interface Task {
  readonly id: string;
  readonly principal: string;
  onAnswers(answers: Readonly<Record<string, unknown>>): void;
  /** What the creating request is answered with. */
  summary(): Record<string, unknown>;
  /** What `tasks/get` and `notifications/tasks` say. */
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
  /** Nothing where there are as many tasks as may be, in all or of this principal. */
  create(order: NewTask): Task | undefined;
  /** Faults where the task is unknown, over its time, or somebody else's: all three look the same from outside. */
  find(id: unknown, principal: string): Task;
  onChange(listener: (task: Task) => void): () => void;
  close(): void;
}

export interface TaskStoreOptions {
  readonly keepMs: number;
  readonly pollMs: number;
  readonly atMost: number;
  /** How many of them may be one principal's, so that nobody takes all the room. */
  readonly atMostOfOne: number;
  readonly now: () => number;
}

export function createTaskStore({ keepMs, pollMs, atMost, atMostOfOne, now }: TaskStoreOptions): TaskStore {
  const tasks = new Map<string, { task: Task; timer: NodeJS.Timeout }>();
  const listeners = new Set<(task: Task) => void>();
  const tally = createPrincipalCounter();

  return {
    create(order) {
      if (tasks.size >= atMost || tally.of(order.principal) >= atMostOfOne) return undefined;
      const task: Task = createTask(order, { ttlMs: keepMs, pollIntervalMs: pollMs }, now, () => {
        for (const listener of listeners) listener(task);
      });
      const timer = setTimeout(() => {
        tasks.delete(task.id);
        tally.remove(task.principal);
        task.cancel();
      }, keepMs);
      timer.unref();
      tasks.set(task.id, { task, timer });
      tally.add(task.principal);
      return task;
    },
    find(id, principal) {
      const found = typeof id === "string" ? tasks.get(id) : undefined;
      if (found?.task.principal !== principal) {
        throw new Fault("bad-params", "There is no such task here, or its time is over.");
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

function createTask(order: NewTask, fixed: Record<string, number>, now: () => number, changed: () => void): Task {
  const id = lazyCrypto().randomUUID();
  const createdAt = new Date(now()).toISOString();
  let lastUpdatedAt = createdAt;
  let status: TaskStatus = "working";
  let statusMessage = order.statusMessage;
  let payload: Record<string, unknown> = {};

  const isOver = () => status === "completed" || status === "failed" || status === "cancelled";
  const move = (next: TaskStatus, nextPayload: Record<string, unknown> = {}) => {
    if (isOver()) return;
    status = next;
    payload = nextPayload;
    lastUpdatedAt = new Date(now()).toISOString();
    changed();
  };

  return {
    id,
    principal: order.principal,
    onAnswers: () => {},
    summary: () => ({
      taskId: id,
      status,
      ...(statusMessage === undefined ? {} : { statusMessage }),
      createdAt,
      lastUpdatedAt,
      ...fixed,
    }),
    detail() {
      return { ...this.summary(), ...payload };
    },
    setWorking: () => status === "working" || move("working"),
    setWaiting: (inputRequests) => move("input_required", { inputRequests }),
    setStatusMessage(message) {
      statusMessage = message.slice(0, 1000);
      move(status, payload);
    },
    complete: (result) => move("completed", { result }),
    fail(thrown) {
      const error = rpcErrorOf(thrown, "modern");
      if (!isOver()) statusMessage = error.message;
      move("failed", { error });
    },
    cancel() {
      if (isOver()) return;
      move("cancelled");
      order.cancel("The task was cancelled.");
    },
  };
}

export interface DetachOptions {
  readonly status?: string;
  /** Takes the result of what became a task: it is held until its client asks for it, if ever. */
  keep?(result: ToolResult): ToolResult;
}

const noDetachOptions: DetachOptions = {};

/** A client that knows tasks gets one instead of waiting, where the result takes longer than that. */
export function detachAfter(
  result: Promise<ToolResult>,
  request: RequestContext,
  afterMs = 10_000,
  manner = noDetachOptions,
): Promise<ToolResult> {
  return hasTasks(request.client) ? waitOrDetach(result, request, afterMs, manner) : result;
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
