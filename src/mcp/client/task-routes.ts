import { asRecord } from "../../core/is-record.ts";
import { metaKeys } from "../messages/envelope.ts";
import type { JsonRpcId, JsonRpcRequest, Params } from "../messages/json-rpc.ts";

/**
 * Which call the messages about a task of a legacy server belong to. The request that started the task has been answered
 * by then, but its progress token stays valid, and questions name the task (2025-11-25, Tasks).
 */
export interface TaskRoutes<Call> {
  /** Notes the task in the result of a call, if the call takes one. */
  note(result: Params, token: JsonRpcId, call: Call): void;
  byToken(token: JsonRpcId): Call | undefined;
  byId(taskId: string): Call | undefined;
}

export function createTaskRoutes<Call extends { readonly taskUntil?: AbortSignal | undefined }>(): TaskRoutes<Call> {
  const routes = new Map<string, { readonly token: JsonRpcId; readonly call: Call }>();
  return {
    note(result, token, call) {
      const { taskUntil } = call;
      const { taskId } = asRecord(result.task);
      if (!taskUntil || taskUntil.aborted || typeof taskId !== "string") return;
      routes.set(taskId, { token, call });
      taskUntil.addEventListener("abort", () => routes.delete(taskId), { once: true });
    },
    byToken(token) {
      for (const route of routes.values()) if (route.token === token) return route.call;
      return undefined;
    },
    byId: (taskId) => routes.get(taskId)?.call,
  };
}

/** The task that a server's question belongs to, and the question without it: the id means nothing to anyone else. */
export function takeTaskId(request: JsonRpcRequest): { question: JsonRpcRequest; taskId: string | undefined } {
  const { [metaKeys.relatedTask]: related, ...meta } = asRecord(request.params?._meta);
  const { taskId } = asRecord(related);
  if (typeof taskId !== "string") return { question: request, taskId: undefined };
  const { _meta: _, ...params } = request.params ?? {};
  const rest = Object.keys(meta).length === 0 ? params : { ...params, _meta: meta };
  return { question: { ...request, params: rest }, taskId };
}

/** 2025-11-25, Associating Task-Related Messages: the answer names the task, too. */
export function aboutTask(
  body: { readonly result: object } | { readonly error: object },
  taskId: string | undefined,
): object {
  if (taskId === undefined || !("result" in body)) return body;
  const { _meta: meta } = body.result as { readonly _meta?: object };
  return { result: { ...body.result, _meta: { ...meta, [metaKeys.relatedTask]: { taskId } } } };
}
