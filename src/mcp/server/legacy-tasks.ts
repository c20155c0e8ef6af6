import { Fault, type FaultCode } from "../../core/fault.ts";
import { isRecord } from "../../core/is-record.ts";
import { cancelledBy, orAborted } from "../../core/wait.ts";
import { answerErrorKey, type Question } from "../messages/interim-messages.ts";
import { AnswerFault, notification, type Params } from "../messages/json-rpc.ts";
import { hasLegacyTasks, isOver, taskSupportOf } from "../messages/task.ts";
import type { Tool } from "../messages/tool.ts";
import type { McpOffer, ToolOffer } from "./offer.ts";
import type { Peer } from "./peer.ts";
import { createResumableRun } from "./resumable-run.ts";
import { type MethodHandler, relatedTo, type ServedRequest } from "./served-request.ts";
import type { Task, TaskStore } from "./tasks.ts";
import type { WaitingRuns } from "./waiting-runs.ts";

export interface LegacyTaskParts {
  readonly tasks: TaskStore;
  readonly waiting: WaitingRuns;
  readonly offer: McpOffer;
  readonly tools: ToolOffer;
  /** Serves `tools/call`. */
  readonly call: MethodHandler;
}

/** 2025-11-25, Server Capabilities of tasks. */
export const taskCapabilities = { list: {}, cancel: {}, requests: { tools: { call: {} } } };

/**
 * Tasks of 2025-11-25: the client asks for one with `task` in `tools/call`, polls with `tasks/get`, and waits for the
 * result with `tasks/result`. Questions of the task travel on the stream of `tasks/result`.
 */
export function legacyTaskMethods({ tasks, waiting, offer, tools, call }: LegacyTaskParts): Map<string, MethodHandler> {
  const found = (params: Params, request: ServedRequest) => tasks.find(params.taskId, request.principal);
  /** The questions that a client is being asked right now. Another session of the same principal is asked, too. */
  const asked = new WeakMap<Task, WeakMap<Peer, Set<string>>>();

  return new Map<string, MethodHandler>([
    [
      "tools/call",
      (params, request, headers) =>
        isRecord(params.task) && hasLegacyTasks(request.protocolVersion)
          ? startTask(params, request, () => call(params, request, headers))
          : call(params, request, headers),
    ],
    ["tasks/get", (params, request) => found(params, request).legacy()],
    ["tasks/list", listTasks],
    [
      "tasks/cancel",
      (params, request) => {
        const task = found(params, request);
        if (isOver(task.status)) throw new Fault("bad-params", `The task can't be cancelled: it is ${task.status}.`);
        task.cancel();
        return task.legacy();
      },
    ],
    ["tasks/result", (params, request) => awaitResult(found(params, request), request)],
  ]);

  async function startTask(
    params: Params,
    request: ServedRequest,
    work: () => object | Promise<object>,
  ): Promise<object> {
    const inner = tools.innerCall?.(params, request);
    const tool = await findTool((inner ?? params).name, request, inner !== undefined);
    // The call says what is wrong with the name.
    if (!tool) return work();
    if (taskSupportOf(tool) === "forbidden")
      throw refused(tool, "unknown-method", `The tool ${tool.name} does not run as a task. Call it without "task".`);
    let task: Task | undefined;
    const create: TaskStore["create"] = (newTask) => (task = tasks.create({ ...newTask, ttlMs: ttlOf(params.task) }));
    const round = { resolve: () => {}, reject: () => {} };
    const run = createResumableRun({ request, subject: "", waiting, tasks: { create }, answers: {}, round });
    request.run = run;
    run.detach(undefined);
    if (task === undefined)
      throw refused(tool, "busy", "Too many tasks are kept. Wait until some have expired, or cancel some.");
    const started = task;
    request.taskId = started.id;
    reportChanges(started, request);
    const release = request.holdSpilled();
    // Later, so that the client has the task's id before anything is sent about it.
    setImmediate(() => {
      void (async () => work())().finally(release).then(run.finish, run.fail);
    });
    return { task: started.legacy() };

    function refused({ name }: Tool, code: FaultCode, message: string): Fault {
      const fault = new Fault(code, message);
      tools.refused?.(name, fault, request);
      return fault;
    }
  }

  /** The tool, also if it is one of a server that is still connecting. */
  async function findTool(name: unknown, request: ServedRequest, isInner: boolean): Promise<Tool | undefined> {
    if (typeof name !== "string") return undefined;
    const find = () => (isInner && tools.findInner ? tools.findInner(name, request) : tools.find(name, request));
    const known = find();
    const arrival = known ? undefined : offer.arriving?.(name);
    if (arrival === undefined) return known;
    await orAborted(arrival, request.signal);
    return find();
  }

  function reportChanges(task: Task, { peer }: ServedRequest): void {
    const stop = tasks.onChange((changed) => {
      if (changed !== task) return;
      if (isOver(task.status)) stop();
      peer.push?.(notification("notifications/tasks/status", task.legacy()));
    });
  }

  function listTasks(params: Params, request: ServedRequest): object {
    // The store keeps few enough of one principal for one page.
    if (params.cursor !== undefined)
      throw new Fault("bad-params", "This cursor is not valid. List again without a cursor.");
    return { tasks: tasks.of(request.principal).map((task) => task.legacy()) };
  }

  async function awaitResult(task: Task, request: ServedRequest): Promise<object> {
    while (!isOver(task.status)) {
      const changed = nextChange(task, request.signal);
      askOpenQuestions(task, request);
      await changed;
    }
    const { outcome } = task;
    if (outcome === undefined) throw new Fault("cancelled", "The task was cancelled.");
    if ("error" in outcome) throw outcome.error;
    const { result } = outcome;
    return { ...result, _meta: { ...(result as { _meta?: object })._meta, ...relatedTo(task.id) } };
  }

  function nextChange(task: Task, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const abort = () => (stop(), reject(cancelledBy(signal)));
      const stop = tasks.onChange((changed) => {
        if (changed !== task) return;
        stop();
        signal.removeEventListener("abort", abort);
        resolve();
      });
      if (signal.aborted) abort();
      else signal.addEventListener("abort", abort, { once: true });
    });
  }

  function askOpenQuestions(task: Task, request: ServedRequest): void {
    const ofTask = asked.get(task) ?? new WeakMap<Peer, Set<string>>();
    asked.set(task, ofTask);
    const open = ofTask.get(request.peer) ?? new Set();
    ofTask.set(request.peer, open);
    for (const [key, question] of Object.entries(task.inputRequests)) {
      if (open.has(key)) continue;
      open.add(key);
      request
        .ask(aboutTask(question, task))
        .catch((error: unknown) => {
          if (request.signal.aborted) throw error;
          return { [answerErrorKey]: errorOf(error) };
        })
        .then((answer) => task.onAnswers({ [key]: answer }))
        // The client left without an answer. The next `tasks/result` asks again; one that waits already is woken.
        .catch(() => {
          open.delete(key);
          if (key in task.inputRequests) task.setWaiting({ ...task.inputRequests });
        });
    }
  }
}

function aboutTask({ method, params }: Question, task: Task): Question {
  return { method, params: { ...params, _meta: { ...(params?._meta as object | undefined), ...relatedTo(task.id) } } };
}

function errorOf(error: unknown): object {
  if (error instanceof AnswerFault) return error.error;
  return { code: -32603, message: error instanceof Error ? error.message : "The question could not be answered." };
}

function ttlOf(task: unknown): number | undefined {
  const ttl = isRecord(task) ? task.ttl : undefined;
  return typeof ttl === "number" && ttl > 0 ? ttl : undefined;
}
