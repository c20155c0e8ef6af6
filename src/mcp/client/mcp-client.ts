import { Fault, isFault } from "../../core/fault.ts";
import { InFlight } from "../../core/in-flight.ts";
import { asRecord } from "../../core/is-record.ts";
import { type Log, silentLog } from "../../core/log.ts";
import { cancelledBy, sleep } from "../../core/wait.ts";
import { type ClientIdentity, metaKeys, writeEnvelope } from "../messages/envelope.ts";
import { isQuestionMethod, logLineOf, progressOf } from "../messages/interim-messages.ts";
import {
  isNotification,
  isRequest,
  type JsonRpcId,
  type JsonRpcMessage,
  type JsonRpcRequest,
  type JsonRpcResponse,
  notification,
  type Params,
  type RpcError,
  RpcFault,
} from "../messages/json-rpc.ts";
import type { Era } from "../messages/protocol-version.ts";
import { answerOther, answerQuestion, type Ask } from "./answer-questions.ts";
import { answerRounds, type RoundSender } from "./answer-rounds.ts";
import { createDeadlineClock } from "./call-deadline.ts";
import type { ClientTransport, TransportListener } from "./client-transport.ts";
import { PendingCall, type PendingOwner, type SentOptions } from "./pending-call.ts";
import { aboutTask, createTaskRoutes, takeTaskId } from "./task-routes.ts";
import type { CallOptions } from "./call-options.ts";

/** What the client and the server agreed on. */
export interface Agreement {
  readonly era: Era;
  readonly version: string;
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly serverInfo: Readonly<Record<string, unknown>> | undefined;
  readonly instructions: string | undefined;
}

export interface McpClientOptions extends ClientIdentity {
  readonly log?: Log | undefined;
  /** Cancels the opening. */
  readonly signal?: AbortSignal | undefined;
  /** Answers the questions that the server asks for no known call. */
  ask?: Ask | undefined;
  onNotification?(method: string, params: Params, relatedTo: JsonRpcId | undefined): void;
  /** The server may have forgotten the session; the next request shows whether it has. */
  onSessionDoubt?(): void;
  onClose?(fault: Fault): void;
  /** Waits between two rounds in which the server asked nothing. */
  readonly pause?: ((ms: number, signal: AbortSignal | undefined) => Promise<void>) | undefined;
}

/** JSON-RPC to one server, in either era. It never reconnects or repeats a request; its user decides that. */
export interface McpClient {
  agreement: Agreement | undefined;
  request(method: string, params: Params, options: CallOptions): Promise<Params>;
  /** Closes the connection when its last request has ended. */
  retire(): void;
  /**
   * Opens a stream of notifications (`subscriptions/listen`). Calls the function when the server has acknowledged it, and
   * resolves when the server ends the stream.
   */
  listen(params: Params, signal: AbortSignal, onAcknowledged: () => void): Promise<void>;
  notify(method: string, params?: Params): Promise<void>;
  /** Closes the connection. Pending requests fail with the fault. */
  close(fault?: Fault): Promise<void>;
}

export async function openMcpClient(transport: ClientTransport, options: McpClientOptions): Promise<McpClient> {
  const { log = silentLog, pause = sleep } = options;
  const pending = new InFlight<PendingCall>();
  const clock = createDeadlineClock(pending);
  const owner: PendingOwner = { pending, clock, onCancelled: tellCancelled };
  const rounds: RoundSender = { ask: options.ask, pause, request: requestOnce, isComplete };
  const tasks = createTaskRoutes<CallOptions>();
  let nextId = 0;
  let running = 0;
  let isRetired = false;
  let closing: Promise<void> | undefined;

  const client: McpClient = {
    agreement: undefined,
    async request(method, params, callOptions) {
      running++;
      try {
        const result = await requestOnce(method, params, callOptions);
        return isComplete(result, method) ? result : await answerRounds(rounds, result, method, params, callOptions);
      } finally {
        if (--running === 0 && isRetired) void client.close();
      }
    },
    retire() {
      isRetired = true;
      if (running === 0) void client.close();
    },
    async listen(params, signal, onAcknowledged) {
      await requestOnce("subscriptions/listen", params, { signal, timeoutMs: 0, onAcknowledged });
    },
    notify: (method, params) => transport.send(notification(method, params)),
    async close(fault = new Fault("cancelled", "The connection was closed.")) {
      clock.stop();
      failAll(fault);
      await (closing ??= transport.close());
    },
  };
  const listener: TransportListener = {
    onMessage: receive,
    onLost: (id, fault) => pendingWith(id)?.reject(fault),
    onSessionDoubt: () => options.onSessionDoubt?.(),
    onClose(fault) {
      failAll(fault);
      options.onClose?.(fault);
    },
  };
  await transport.start(listener, options.signal);
  return client;

  function pendingWith(id: JsonRpcId): PendingCall | undefined {
    return pending.find((call) => call.id === id);
  }

  function isComplete({ resultType = "complete" }: Params, method: string): boolean {
    if (resultType === "complete" || client.agreement?.era === "legacy") return true;
    if (resultType === "task" && method === "tools/call") return true;
    if (resultType !== "input_required") throw unknownResultType(resultType);
    return false;
  }

  function requestOnce(method: string, params: Params, callOptions: SentOptions): Promise<Params> {
    const aborted = callOptions.abort ?? callOptions.signal;
    if (aborted?.aborted === true) return Promise.reject(cancelledBy(aborted));
    const id = ++nextId;
    const call = new PendingCall(id, method, callOptions, headersOf(callOptions), owner);
    const message: JsonRpcRequest = { jsonrpc: "2.0", id, method, params: withMeta(params, id, callOptions) };
    transport.send(message, call).catch((fault: unknown) => pendingWith(id)?.reject(fault));
    return call.answered;
  }

  function tellCancelled({ id, method }: PendingCall, fault: unknown): void {
    // The specification forbids cancelling `initialize`; closing the connection ends it.
    const needsNotification = !transport.cancelsByClosing || client.agreement?.era === "legacy";
    if (!needsNotification || method === "initialize") return;
    const reason = fault instanceof Fault ? fault.message : "cancelled";
    client.notify("notifications/cancelled", { requestId: id, reason }).catch(() => {});
  }

  function headersOf({ headers, trace }: CallOptions): CallOptions["headers"] {
    const repeated = client.agreement?.era === "modern" ? headers : undefined;
    return trace === undefined ? repeated : { ...repeated, ...trace };
  }

  function withMeta(params: Params, id: JsonRpcId, callOptions: CallOptions): Params {
    const isModern = client.agreement?.era === "modern";
    if (!isModern && !callOptions.onProgress && !callOptions.meta && !callOptions.trace) return params;
    return {
      ...params,
      _meta: {
        ...(params._meta as object | undefined),
        ...callOptions.meta,
        ...callOptions.trace,
        ...(callOptions.onProgress ? { progressToken: id } : {}),
        ...(isModern ? envelopeOf(callOptions) : {}),
      },
    };
  }

  function envelopeOf({ as, logLevel }: CallOptions): Params {
    const { info = options.info, capabilities = options.capabilities } = as ?? options;
    return writeEnvelope(client.agreement!.version, { info, capabilities }, logLevel);
  }

  function receive(message: JsonRpcMessage, relatedTo: JsonRpcId | undefined): void {
    if (isRequest(message)) void serve(message, relatedTo);
    else if (isNotification(message)) {
      const params = message.params ?? {};
      const token = params.progressToken;
      if (message.method === "notifications/progress" && (typeof token === "number" || typeof token === "string")) {
        const call = pendingWith(token) ?? tasks.byToken(token);
        const told = progressOf(params);
        if (Number.isFinite(told.progress)) call?.onProgress?.(told);
      } else if (message.method === "notifications/subscriptions/acknowledged") {
        const id = asRecord(params._meta)[metaKeys.subscriptionId];
        if (typeof id === "number" || typeof id === "string") pendingWith(id)?.options.onAcknowledged?.();
      } else {
        if (message.method === "notifications/message") loggerOf(relatedTo)?.(logLineOf(params));
        options.onNotification?.(message.method, params, relatedTo);
      }
    } else settleResponse(message);
  }

  function settleResponse(message: JsonRpcResponse): void {
    const call = message.id === null ? undefined : pendingWith(message.id);
    if (!call)
      return log.debug("ignored a response to no pending request", { id: JSON.stringify(message.id).slice(0, 50) });
    const { error, result } = message as { readonly error?: unknown; readonly result?: unknown };
    if (typeof error === "object" && error !== null) call.reject(new RpcFault(error as RpcError));
    else if (error === undefined && typeof result === "object" && result !== null) {
      // At once: what the server sends next may be about the task.
      tasks.note(result as Params, message.id!, call.options);
      call.resolve(result as Params);
    } else call.reject(new Fault("outcome-unknown", "The server sent a response without a valid result."));
  }

  /** Answers a request of a legacy server. */
  async function serve(message: JsonRpcRequest, relatedTo: JsonRpcId | undefined): Promise<void> {
    const reply = (body: object) => sendAnswer({ jsonrpc: "2.0", id: message.id, ...body } as JsonRpcResponse);
    if (!isQuestionMethod(message.method)) return reply(answerOther(message.method)).catch(() => {});
    const { question, taskId } = takeTaskId(message);
    const call = callOf(relatedTo, taskId);
    const ask = call?.options.ask ?? (taskId === undefined ? undefined : tasks.byId(taskId)?.ask) ?? options.ask;
    // While the question is open, the server is not the silent side.
    const release = call?.deadline.hold();
    try {
      await reply(aboutTask(await answerQuestion(question, ask), taskId));
    } catch (error) {
      log.warn("the answer to a question of the server could not be delivered", { method: message.method, error });
      // The server waits for it, so the call would never end.
      call?.reject(new Fault("outcome-unknown", undeliveredText, { cause: error }));
    } finally {
      release?.();
    }
  }

  /** A response may be sent again: a server that has it already ignores the second one. */
  async function sendAnswer(answer: JsonRpcResponse): Promise<void> {
    for (const wait of answerPausesMs) {
      try {
        return await transport.send(answer);
      } catch (error) {
        if (closing !== undefined || !isWorthRepeating(error)) throw error;
      }
      await pause(wait, options.signal);
    }
    return transport.send(answer);
  }

  /**
   * The call that a question belongs to. If the transport does not know, the latest call that can ask. The question of a
   * task belongs to no other call: the caller that the task runs for may be another one.
   */
  function callOf(relatedTo: JsonRpcId | undefined, taskId: string | undefined): PendingCall | undefined {
    const related = relatedTo === undefined ? undefined : pendingWith(relatedTo);
    if (related) return related;
    const calls = [...pending].toSorted((a, b) => a.id - b.id);
    if (taskId === undefined) return calls.findLast((call) => call.options.ask);
    return calls.find((call) => call.options.taskId === taskId);
  }

  /**
   * Who gets a log line. If the transport does not know which call it belongs to, the only pending call gets it. With
   * several no one does, because one caller must not see the log of another.
   */
  function loggerOf(relatedTo: JsonRpcId | undefined): CallOptions["onLog"] {
    if (relatedTo !== undefined) return pendingWith(relatedTo)?.options.onLog;
    let found: CallOptions["onLog"];
    for (const { options: each } of pending) {
      if (found && each.onLog) return undefined;
      found ??= each.onLog;
    }
    return found;
  }

  function failAll(fault: Fault): void {
    for (const call of pending) {
      call.reject(fault);
      call.abort.abort(fault);
    }
  }
}

/** How long to wait before an answer to a question is sent again. */
const answerPausesMs = [100, 1000, 3000];

const undeliveredText =
  "The answer to the server's question could not be delivered. The call may or may not have completed: check before you retry.";

const isWorthRepeating = (error: unknown): boolean =>
  isFault(error, "unavailable") || isFault(error, "outcome-unknown");

/** 2026-07-28: a result type that was not negotiated is not a valid result. */
function unknownResultType(resultType: unknown): Fault {
  const shown = JSON.stringify(resultType)?.slice(0, 100);
  return new Fault("outcome-unknown", `The server sent a result of the unexpected type ${shown}.`);
}
