import { asRecord } from "../../../core/is-record.ts";
import { orAborted } from "../../../core/wait.ts";
import type { Agreement } from "../../../mcp/client/mcp-client.ts";
import type { Params } from "../../../mcp/messages/json-rpc.ts";
import { startedTask, type TaskSupport } from "../../../mcp/messages/task.ts";
import type { Connection } from "./connection.ts";
import { followTask, maxTaskMs, sendCancel } from "./follow-task.ts";
import { type CallOptions, signalOf } from "../../../mcp/client/call-options.ts";

/** How a tool call and the tasks of its server get on. */
export interface TaskTerms {
  /** What the tool says (2025-11-25). */
  readonly support: TaskSupport;
  /** Whether the caller asked for a task. */
  readonly isWanted: boolean;
  /** Called when the server has started a task instead of giving a result. */
  onStarted(statusMessage: string | undefined): void;
}

/** A server forgets a task when its time is over, and then it can't be cancelled any more. */
const spareTtlMs = 60_000;

/** Sends `tools/call`. If the server starts a task, waits until that has ended. */
export async function sendCall(
  connection: Connection,
  params: Params,
  options: CallOptions,
  terms: TaskTerms,
): Promise<Params> {
  const mayAsk = terms.support === "required" || (terms.support === "optional" && terms.isWanted);
  if (mayAsk) return callAsTask(connection, params, options, terms);
  const result = await connection.request("tools/call", params, options);
  const started = startedTask(result);
  // A task of 2026-07-28 has no progress of its own.
  return started ? follow(connection, started, options, terms, () => false) : result;
}

/** In the era of 2025-11-25 the client decides: it asks for a task, if the server has them. */
async function callAsTask(
  connection: Connection,
  params: Params,
  options: CallOptions,
  terms: TaskTerms,
): Promise<Params> {
  const signal = signalOf(options);
  const ended = new AbortController();
  const stop = new AbortController();
  let asksForTask = false;
  let hasProgress = false;
  const own: CallOptions = {
    ...options,
    onProgress(progress) {
      hasProgress = true;
      options.onProgress?.(progress);
    },
  };
  const paramsFor = (agreement: Agreement): Params => {
    asksForTask = hasTaskCalls(agreement);
    return asksForTask ? { ...params, task: { ttl: (options.maxTotalMs ?? maxTaskMs) + spareTtlMs } } : params;
  };
  const onAbort = () => {
    if (asksForTask) cancelLater(connection, created, options);
    else stop.abort(signal?.reason);
  };
  const created = connection.request("tools/call", paramsFor, {
    ...own,
    abort: undefined,
    signal: stop.signal,
    taskUntil: ended.signal,
  });
  signal?.addEventListener("abort", onAbort, { once: true });
  if (signal?.aborted) onAbort();
  try {
    const result = await (signal ? orAborted(created, signal) : created);
    signal?.removeEventListener("abort", onAbort);
    const started = startedTask(result);
    return started ? await follow(connection, started, options, terms, () => hasProgress) : result;
  } finally {
    signal?.removeEventListener("abort", onAbort);
    ended.abort();
  }
}

/** The task may have been created although its id is not here yet, and it can only be cancelled by its id. */
function cancelLater(connection: Connection, created: Promise<Params>, options: CallOptions): void {
  const cancel = async () => {
    const started = startedTask(await created);
    if (started) sendCancel(connection, started.task, options);
  };
  cancel().catch(() => {});
}

function follow(
  connection: Connection,
  started: NonNullable<ReturnType<typeof startedTask>>,
  options: CallOptions,
  terms: TaskTerms,
  hasProgress: () => boolean,
): Promise<Params> {
  const { statusMessage } = started.task;
  terms.onStarted(statusMessage === undefined ? undefined : connection.redact(statusMessage));
  return followTask(connection, { ...started, hasProgress }, options);
}

/** 2025-11-25, Tool-Level Negotiation: what the tool says counts only if the server has this capability. */
function hasTaskCalls({ era, capabilities }: Agreement): boolean {
  if (era === "modern") return false;
  const { requests } = asRecord(capabilities.tasks);
  return asRecord(asRecord(requests).tools).call !== undefined;
}
