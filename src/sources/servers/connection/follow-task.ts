import { Fault } from "../../../core/fault.ts";
import { asRecord, isRecord } from "../../../core/is-record.ts";
import { cancelledBy } from "../../../core/wait.ts";
import { answerInputRequests } from "../../../mcp/client/answer-questions.ts";
import { timeoutFault } from "../../../mcp/client/call-deadline.ts";
import { type Params, type RpcError, RpcFault } from "../../../mcp/messages/json-rpc.ts";
import type { Era } from "../../../mcp/messages/protocol-version.ts";
import { isOver, parseTask, type TaskState } from "../../../mcp/messages/task.ts";
import { errorResult } from "../../../mcp/messages/tool.ts";
import { redactFault } from "../server-secrets.ts";
import type { Connection } from "./connection.ts";
import { type CallOptions, signalOf } from "../../../mcp/client/call-options.ts";

/** The fault of a task that the server has accepted: the call must not be sent again. */
export class TaskFault extends Fault {}

/** A task that its server has started. */
export interface StartedTask {
  readonly era: Era;
  readonly task: TaskState;
  /** Whether the server reports progress of its own. */
  hasProgress?(): boolean;
}

/** How long a task may run if the configuration sets no limit. */
export const maxTaskMs = 3_600_000;

/** Polls are requests of our own: a server that does not answer them soon is asked again. */
const pollTimeoutMs = 30_000;
/** How long the server may be out of reach while its task runs. */
const patienceMs = 60_000;
const defaultPollMs = 1000;
const shortestPollMs = 20;
const maxPollMs = 60_000;
const cancelTimeoutMs = 10_000;
/** A client that waits learns at least this often that the task is still running. */
const quietMs = 10_000;
/** How many questions one task may ask. */
const maxQuestions = 100;

/** -32602, -32601, -32600: the server does not know the task. Any other error may pass. */
const lostCodes: ReadonlySet<unknown> = new Set([-32600, -32601, -32602]);

/**
 * Waits until a task has ended: polls it, answers its questions, and reports its status as progress. If the caller gives up,
 * or the task takes too long, the server is told to cancel it.
 */
export async function followTask(
  connection: Connection,
  { era, task: started, hasProgress }: StartedTask,
  options: CallOptions,
): Promise<Params> {
  const { maxTotalMs: limitMs = maxTaskMs } = options;
  const about = { taskId: started.id };
  const { as, trace } = options;
  const late = new AbortController();
  const given = signalOf(options);
  const signal = given ? AbortSignal.any([given, late.signal]) : late.signal;
  const timer = setTimeout(() => late.abort(timeoutFault(limitMs, options.settings?.maxTotalMs)), limitMs);
  const report = createStatusReport(options, hasProgress);
  const answered = new Set<string>();
  let failingSince: number | undefined;
  let hasNews = false;
  let wake: () => void = () => {};
  const release = connection.hold();
  const stopListening = connection.listen({ onTaskStatus: noteStatus, onState: () => wake() });
  try {
    return await follow();
  } catch (error) {
    if (!(error instanceof RpcFault) && !(error instanceof LostTask)) cancelTask();
    throw error instanceof RpcFault ? redactFault(asTaskFault(error), connection.redact) : error;
  } finally {
    clearTimeout(timer);
    stopListening();
    release();
  }

  async function follow(): Promise<Params> {
    for (let task = masked(started); ; task = masked(await poll())) {
      report(task);
      const result = era === "modern" ? await advance(task) : await fetchResult(task);
      if (result) return result;
      await pause(task.pollMs ?? defaultPollMs);
    }
  }

  /** What a server says about itself may repeat the keys that it was given. */
  function masked(task: TaskState): TaskState {
    const { statusMessage } = task;
    return statusMessage === undefined ? task : { ...task, statusMessage: connection.redact(statusMessage) };
  }

  /** Modern era: the state has everything in it. */
  async function advance(task: TaskState): Promise<Params | undefined> {
    if (isOver(task.status)) return outcomeOf(task);
    if (task.status === "input_required") await answer(task);
    return undefined;
  }

  async function answer(task: TaskState): Promise<void> {
    const fresh = Object.entries(asRecord(task.inputRequests)).filter(([key]) => !answered.has(key));
    if (fresh.length === 0) return;
    if (answered.size + fresh.length > maxQuestions)
      throw new TaskFault("outcome-unknown", `The task asked more than ${maxQuestions} questions without a result.`);
    const questions = Object.fromEntries(fresh);
    const inputResponses = await answerInputRequests(questions, options.ask, options.toHub ?? false);
    await persist(() =>
      connection.request("tasks/update", { ...about, inputResponses }, { timeoutMs: pollTimeoutMs, as, trace, signal }),
    );
    for (const [key] of fresh) answered.add(key);
  }

  /**
   * Legacy era: `tasks/result` waits for the end, and brings the questions. Undefined if there is nothing to fetch yet, or if
   * the connection broke.
   */
  async function fetchResult({ status, statusMessage }: TaskState): Promise<Params | undefined> {
    if (status === "working") return undefined;
    if (status === "cancelled") return cancelledByServer(statusMessage);
    try {
      const { ask, toHub } = options;
      const waits = { timeoutMs: 0, taskId: started.id, as, trace, signal, ask, toHub };
      const result = await connection.request("tasks/result", about, waits);
      failingSince = undefined;
      return result;
    } catch (error) {
      if (error instanceof RpcFault) throw error;
      noteFailure(error);
      return undefined;
    }
  }

  async function poll(): Promise<TaskState> {
    return persist(async () => {
      const found = await connection.request("tasks/get", about, { timeoutMs: pollTimeoutMs, as, trace, signal });
      return parseTask(found);
    });
  }

  /** Sends a request about the task until it is answered. Such requests change nothing, so they may be repeated. */
  async function persist<T>(send: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        const found = await send();
        failingSince = undefined;
        return found;
      } catch (error) {
        if (error instanceof RpcFault && lostCodes.has(error.error.code)) throw new LostTask(error.message);
        noteFailure(error);
        await pause(defaultPollMs);
      }
    }
  }

  function noteFailure(error: unknown): void {
    if (signal.aborted) throw cancelledBy(signal);
    failingSince ??= Date.now();
    const isStopped = connection.state().kind === "stopped";
    const patience = Math.min(patienceMs, options.timeoutMs);
    if (isStopped || Date.now() - failingSince > patience) throw new LostTask((error as Error).message);
  }

  /** Legacy servers may report a change; then there is no need to wait for the next poll. */
  function noteStatus(params: Params): void {
    if (params.taskId !== started.id) return;
    hasNews = true;
    wake();
  }

  /** Ends early if there is news, but never at once: a server that reports without end must not keep us busy. */
  function pause(ms: number): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const begin = Date.now();
      const end = () => {
        clearTimeout(next);
        signal.removeEventListener("abort", end);
        hasNews = false;
        if (signal.aborted) reject(cancelledBy(signal));
        else resolve();
      };
      wake = () => {
        clearTimeout(next);
        next = setTimeout(end, Math.max(shortestPollMs - (Date.now() - begin), 0));
      };
      let next = setTimeout(end, Math.min(Math.max(ms, shortestPollMs), maxPollMs));
      if (hasNews) wake();
      if (signal.aborted) end();
      else signal.addEventListener("abort", end, { once: true });
    }).finally(() => (wake = () => {}));
  }

  function cancelTask(): void {
    sendCancel(connection, started, options);
  }
}

/** Tells the server to cancel a task. It is not waited for: what the server makes of it is its own affair. */
export function sendCancel(connection: Connection, { id }: TaskState, { as, trace }: CallOptions): void {
  const signal = AbortSignal.timeout(cancelTimeoutMs);
  connection.beforeStop(
    connection.request("tasks/cancel", { taskId: id }, { timeoutMs: cancelTimeoutMs, as, trace, signal }),
  );
}

/** The server has forgotten the task or can't be reached, so there is nothing to cancel. */
class LostTask extends TaskFault {
  constructor(reason: string) {
    super(
      "outcome-unknown",
      `The server no longer knows the task of this call, or can't be reached: ${reason} The call may or may not have completed: check before you retry.`,
    );
  }
}

/** Reports the status of a task as progress, unless the server reports progress of its own. */
function createStatusReport(
  { onProgress }: CallOptions,
  hasOwn: (() => boolean) | undefined,
): (task: TaskState) => void {
  let count = 0;
  let lastMessage: string | undefined;
  let lastAt = Date.now();
  return ({ status, statusMessage }) => {
    const isNews = statusMessage !== undefined && statusMessage !== lastMessage;
    if (isOver(status) || hasOwn?.() || (!isNews && Date.now() - lastAt < quietMs)) return;
    lastMessage = statusMessage;
    lastAt = Date.now();
    onProgress?.({ progress: ++count, ...(statusMessage === undefined ? {} : { message: statusMessage }) });
  };
}

function outcomeOf({ status, statusMessage, result, error }: TaskState): Params {
  if (status === "completed" && isRecord(result)) return result;
  if (status === "failed" && isRecord(error)) throw new RpcFault(error as unknown as RpcError);
  if (status === "cancelled") return cancelledByServer(statusMessage);
  throw new TaskFault("outcome-unknown", `The server said that its task is ${status}, but not with what result.`);
}

/** The number of a request whose headers were wrong. Its call may be repeated, and that of a task must not be. */
const headerMismatch = -32020;

function asTaskFault(fault: RpcFault): RpcFault {
  const { error } = fault;
  const isKept = error.code !== headerMismatch && Number.isSafeInteger(error.code);
  return isKept ? fault : new RpcFault({ ...error, code: -32603 });
}

function cancelledByServer(statusMessage: string | undefined): Params {
  const reason = statusMessage === undefined ? "" : ` ${statusMessage}`;
  return { ...errorResult(`The server cancelled the task of this call.${reason}`) };
}
