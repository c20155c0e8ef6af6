import { Fault } from "../../core/fault.ts";
import { type Log, silentLog } from "../../core/log.ts";
import { cancelledBy } from "../../core/wait.ts";
import { type ClientIdentity, writeEnvelope } from "../messages/envelope.ts";
import {
  type Answer,
  type ClientLogLine,
  logLineOf,
  type McpLogLevel,
  type Progress,
  progressOf,
  type Question,
} from "../messages/interim-messages.ts";
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
import { type CallDeadline, createCallDeadline } from "./call-deadline.ts";
import type { ClientTransport, TransportListener } from "./client-transport.ts";

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** How long the server may stay silent: progress starts the time again. */
  readonly timeoutMs: number;
  /** How long it may take in all, however much progress it reports. */
  readonly maxTotalMs?: number | undefined;
  /** Headers that repeat parts of the request; only the modern era has them. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly meta?: Params | undefined;
  /** In whose name it is sent, where that is not our own; only requests of the modern era can say so. */
  readonly as?: ClientIdentity | undefined;
  /** From which level on the caller wants what the server logs meanwhile; servers of the modern era log nothing else. */
  readonly logLevel?: McpLogLevel | undefined;
  onProgress?(progress: Progress): void;
  /** Takes what the server logs on behalf of this call. */
  onLog?(line: ClientLogLine): void;
  /** Answers what the server asks on behalf of this call. */
  ask?(question: Question): Promise<Answer>;
}

/** How the two sides agreed to speak. */
export interface Agreement {
  readonly era: Era;
  readonly version: string;
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly serverInfo: Readonly<Record<string, unknown>> | undefined;
  readonly instructions: string | undefined;
}

export interface McpClientOptions extends ClientIdentity {
  readonly log?: Log | undefined;
  /** For the opening alone. */
  readonly signal?: AbortSignal | undefined;
  /** Answers what the server asks on behalf of no call we know. */
  ask?(question: Question): Promise<Answer>;
  onNotification?(method: string, params: Params, relatedTo: JsonRpcId | undefined): void;
  onClose?(fault: Fault): void;
}

/** JSON-RPC towards one server, in either era. It neither reconnects nor repeats: that is decided above. */
export interface McpClient {
  agreement: Agreement | undefined;
  request(method: string, params: Params, options: CallOptions): Promise<Params>;
  /** Sends a request that brings a stream of notices, and is answered only when the server ends that. */
  listen(method: string, params: Params, signal: AbortSignal): Promise<void>;
  notify(method: string, params?: Params): Promise<void>;
  /** What is under way fails with the fault. */
  close(fault?: Fault): Promise<void>;
}

interface PendingCall {
  readonly options: CallOptions;
  readonly deadline: CallDeadline;
  /** Ends what is under way for it in the transport. */
  readonly stop: AbortController;
  resolve(result: Params): void;
  reject(fault: unknown): void;
}

/** A server that keeps asking is stopped after this many rounds. */
const mostRounds = 20;

export async function openMcpClient(transport: ClientTransport, options: McpClientOptions): Promise<McpClient> {
  const { log = silentLog } = options;
  const waiting = new Map<JsonRpcId, PendingCall>();
  let nextId = 0;
  let closing: Promise<void> | undefined;

  const client: McpClient = {
    agreement: undefined,
    async request(method, params, callOptions) {
      let sent = params;
      for (let round = 0; round <= mostRounds; round++) {
        const result = await once(method, sent, callOptions);
        const { resultType = "complete" } = result;
        if (resultType === "complete" || client.agreement?.era === "legacy") return result;
        if (resultType !== "input_required") throw unknownKind(resultType);
        sent = { ...params, inputResponses: await answer(result.inputRequests, callOptions), ...stateOf(result) };
      }
      throw new Fault("outcome-unknown", `The server asked ${mostRounds} times and still has no answer to give.`);
    },
    async listen(method, params, signal) {
      await once(method, params, { signal, timeoutMs: 0 });
    },
    notify: (method, params) => transport.send(notification(method, params)),
    async close(fault = new Fault("cancelled", "The connection was closed.")) {
      failAll(fault);
      await (closing ??= transport.close());
    },
  };
  const listener: TransportListener = {
    onMessage: receive,
    onLost: (id, fault) => waiting.get(id)?.reject(fault),
    onClose(fault) {
      failAll(fault);
      options.onClose?.(fault);
    },
  };
  await transport.start(listener, options.signal);
  return client;

  function once(method: string, params: Params, callOptions: CallOptions): Promise<Params> {
    const id = ++nextId;
    const stop = new AbortController();
    return new Promise<Params>((resolve, reject) => {
      if (callOptions.signal?.aborted) return reject(cancelledBy(callOptions.signal));
      const deadline = createCallDeadline(callOptions, (fault) => cancel(fault));
      const cancel = (fault: unknown) => {
        if (!waiting.has(id)) return;
        settle();
        reject(fault);
        stop.abort();
        // The specification forbids to cancel `initialize`; whoever gives up on that closes the connection.
        const isTold = !transport.cancelsByClosing || client.agreement?.era === "legacy";
        if (isTold && method !== "initialize") {
          const reason = fault instanceof Fault ? fault.message : "cancelled";
          client.notify("notifications/cancelled", { requestId: id, reason }).catch(() => {});
        }
      };
      const onAbort = () => cancel(cancelledBy(callOptions.signal!));
      const settle = () => {
        waiting.delete(id);
        deadline.stop();
        callOptions.signal?.removeEventListener("abort", onAbort);
      };
      callOptions.signal?.addEventListener("abort", onAbort, { once: true });
      waiting.set(id, {
        deadline,
        stop,
        options: {
          ...callOptions,
          onProgress(progress) {
            deadline.extend();
            callOptions.onProgress?.(progress);
          },
        },
        resolve: (result) => (settle(), resolve(result)),
        reject: (fault) => (settle(), reject(fault)),
      });
      const message: JsonRpcRequest = { jsonrpc: "2.0", id, method, params: withMeta(params, id, callOptions) };
      transport
        .send(message, {
          signal: stop.signal,
          headers: client.agreement?.era === "modern" ? callOptions.headers : undefined,
          onPause: (ms) => deadline.extend(ms),
        })
        .catch((fault: unknown) => waiting.get(id)?.reject(fault));
    });
  }

  function withMeta(params: Params, id: JsonRpcId, callOptions: CallOptions): Params {
    const isModern = client.agreement?.era === "modern";
    if (!isModern && !callOptions.onProgress && !callOptions.meta) return params;
    return {
      ...params,
      _meta: {
        ...(params._meta as object | undefined),
        ...callOptions.meta,
        ...(callOptions.onProgress ? { progressToken: id } : {}),
        ...(isModern ? writeEnvelope(client.agreement!.version, callOptions.as ?? options, callOptions.logLevel) : {}),
      },
    };
  }

  function receive(message: JsonRpcMessage, relatedTo: JsonRpcId | undefined): void {
    if (isRequest(message)) void serve(message, relatedTo);
    else if (isNotification(message)) {
      const params = message.params ?? {};
      const token = params.progressToken;
      if (message.method === "notifications/progress" && (typeof token === "number" || typeof token === "string")) {
        if (Number.isFinite(params.progress)) waiting.get(token)?.options.onProgress?.(progressOf(params));
      } else {
        if (message.method === "notifications/message") loggerOf(relatedTo)?.(logLineOf(params));
        options.onNotification?.(message.method, params, relatedTo);
      }
    } else settleResponse(message);
  }

  function settleResponse(message: JsonRpcResponse): void {
    const call = message.id === null ? undefined : waiting.get(message.id);
    if (!call) return log.debug("an answer came that nobody waits for", { id: String(message.id).slice(0, 50) });
    const { error, result } = message as { readonly error?: unknown; readonly result?: unknown };
    if (typeof error === "object" && error !== null) call.reject(new RpcFault(error as RpcError));
    else if (error === undefined && typeof result === "object" && result !== null) call.resolve(result as Params);
    else call.reject(new Fault("outcome-unknown", "The server answered with something that is no result."));
  }

  /** Answers a request of the server's: `ping` ourselves, questions by whoever the call belongs to. */
  async function serve(message: JsonRpcRequest, relatedTo: JsonRpcId | undefined): Promise<void> {
    const reply = (body: object) =>
      transport.send({ jsonrpc: "2.0", id: message.id, ...body } as JsonRpcMessage).catch(() => {});
    if (message.method === "ping") return reply({ result: {} });
    if (!isQuestion(message.method)) return reply({ error: { code: -32601, message: "Method not found" } });
    const call = callOf(relatedTo);
    // As long as somebody thinks about the answer, the server is not the one who is silent.
    const release = call?.deadline.hold();
    try {
      const ask = call?.options.ask ?? options.ask;
      if (!ask) throw new Fault("missing-capability", "Nobody is there to answer.");
      await reply({ result: await ask({ method: message.method, params: message.params ?? {} }) });
    } catch (error) {
      await reply({
        error: {
          code: -32603,
          message: error instanceof Error ? error.message : "The question could not be answered.",
        },
      });
    } finally {
      release?.();
    }
  }

  /** The call a question belongs to. Where the transport can't tell, the youngest one that can ask. */
  function callOf(relatedTo: JsonRpcId | undefined): PendingCall | undefined {
    const related = relatedTo === undefined ? undefined : waiting.get(relatedTo);
    return related ?? [...waiting.values()].findLast((call) => call.options.ask);
  }

  /**
   * Who takes a log line. Where the transport can't tell whose it is, the only call under way; of several none, since one
   * caller must not read what another one's call says.
   */
  function loggerOf(relatedTo: JsonRpcId | undefined): CallOptions["onLog"] {
    if (relatedTo !== undefined) return waiting.get(relatedTo)?.options.onLog;
    let found: CallOptions["onLog"];
    for (const { options: each } of waiting.values()) {
      if (found && each.onLog) return undefined;
      found ??= each.onLog;
    }
    return found;
  }

  async function answer(requests: unknown, callOptions: CallOptions): Promise<Record<string, Answer>> {
    const ask = callOptions.ask ?? options.ask;
    const entries =
      typeof requests === "object" && requests !== null ? Object.entries(requests as Record<string, Question>) : [];
    if (entries.length > 0 && !ask)
      throw new Fault("missing-capability", "The server asks something, and nobody is there to answer.");
    return Object.fromEntries(
      await Promise.all(
        entries.map(async ([key, question]) => {
          if (!isQuestion(question?.method))
            throw new Fault("missing-capability", "The server asks something this client does not know.");
          return [key, await ask!(question)] as const;
        }),
      ),
    );
  }

  function failAll(fault: Fault): void {
    for (const call of waiting.values()) {
      call.reject(fault);
      call.stop.abort();
    }
  }
}

/** 2026-07-28: a result of a kind that was not negotiated is no result. */
function unknownKind(kind: unknown): Fault {
  const quoted = JSON.stringify(kind)?.slice(0, 100);
  return new Fault(
    "outcome-unknown",
    `The server answered with a result of the kind ${quoted}, which was not asked for.`,
  );
}

function stateOf(result: Params): Params {
  return result.requestState === undefined ? {} : { requestState: result.requestState };
}

function isQuestion(method: unknown): method is Question["method"] {
  return method === "elicitation/create" || method === "sampling/createMessage" || method === "roots/list";
}
