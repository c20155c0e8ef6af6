import { Fault } from "../../core/fault.ts";
import { InFlight } from "../../core/in-flight.ts";
import { isRecord } from "../../core/is-record.ts";
import { type ClientFacts, unknownClient } from "../messages/client-facts.ts";
import type { Answer, McpLogLevel, Question } from "../messages/interim-messages.ts";
import {
  AnswerFault,
  type JsonRpcId,
  type JsonRpcMessage,
  type JsonRpcResponse,
  notification,
} from "../messages/json-rpc.ts";
import type { Tool } from "../messages/tool.ts";

/** Sends one message to the client. */
export type Send = (message: JsonRpcMessage) => void;

export interface PeerOptions {
  readonly principal: string;
  readonly sessionId?: string | undefined;
  /** Sends what belongs to no request, such as list changes and resource updates. Without it none are sent. */
  readonly push?: Send | undefined;
  /** Whether the client can answer the server's requests. A client that sent a single POST can't. */
  readonly twoWay: boolean;
  /** Creates ids for the server's requests, if several peers share one endpoint. */
  readonly askId?: (() => string) | undefined;
}

interface RunningRequest {
  readonly id: JsonRpcId;
  cancel(reason: string): void;
  stop(fault: Fault): void;
}

interface PendingQuestion {
  resolve(answer: Answer): void;
  reject(error: Fault): void;
}

const noWatches: Map<string, () => void> = new Map();

/**
 * One client as the server knows it: a stdio process, a session, or a single independent request. A class, not a
 * closure: there may be one for every request, and methods on the prototype keep it cheap.
 */
export class Peer implements PeerOptions {
  readonly principal: string;
  readonly sessionId: string | undefined;
  readonly push: Send | undefined;
  readonly twoWay: boolean;
  readonly askId: (() => string) | undefined;
  /** The version `initialize` agreed on. Undefined before it, and always if there is no handshake. */
  version: string | undefined = undefined;
  client: ClientFacts = unknownClient;
  logLevel: McpLogLevel = "info";
  /** The list of tools that it was sent, or told of, last. */
  listedTools: readonly Tool[] | undefined = undefined;
  readonly running = new InFlight<RunningRequest>();
  /** Called when the client has changed its log level or its subscriptions. */
  onSettings: (() => void) | undefined = undefined;
  /** Called when the peer is closed. */
  onClose: (() => void) | undefined = undefined;
  readonly #waitForAnswersMs: number;
  #asked = 0;
  #pending: Map<JsonRpcId, PendingQuestion> | undefined;
  #watches: Map<string, () => void> | undefined;

  constructor(options: PeerOptions, waitForAnswersMs: number) {
    this.principal = options.principal;
    this.sessionId = options.sessionId;
    this.push = options.push;
    this.twoWay = options.twoWay;
    this.askId = options.askId;
    this.#waitForAnswersMs = waitForAnswersMs;
  }

  /** The latest, if the client used an id twice. */
  runningWith(id: JsonRpcId): RunningRequest | undefined {
    return this.running.find((request) => request.id === id);
  }

  /** The resources this client watches: by URI, the function that stops the watch. */
  get watches(): Map<string, () => void> {
    return this.push === undefined ? noWatches : (this.#watches ??= new Map());
  }

  /** How many questions the client has not answered yet. */
  get asking(): number {
    return this.#pending?.size ?? 0;
  }

  ask(question: Question, send: Send, signal: AbortSignal): Promise<Answer> {
    const id = this.askId?.() ?? `ask-${++this.#asked}`;
    const pending = (this.#pending ??= new Map<JsonRpcId, PendingQuestion>());
    return new Promise<Answer>((resolve, fail) => {
      const done = () => {
        pending.delete(id);
        clearTimeout(timer);
        signal.removeEventListener("abort", stop);
      };
      const reject = (error: Fault) => (done(), fail(error));
      const stop = () => reject(new Fault("cancelled", "The call was cancelled before the client answered."));
      // A session outlives its connections, so without a time limit a dead client would block its call forever.
      const timer = setTimeout(() => {
        send(notification("notifications/cancelled", { requestId: id, reason: "The client did not answer in time." }));
        reject(new Fault("timeout", "The client did not answer in time."));
      }, this.#waitForAnswersMs);
      timer.unref();
      if (signal.aborted) return stop();
      signal.addEventListener("abort", stop, { once: true });
      pending.set(id, { resolve: (answer) => (done(), resolve(answer)), reject });
      send({ jsonrpc: "2.0", id, method: question.method, ...(question.params ? { params: question.params } : {}) });
    });
  }

  /** Receives the client's answer to a question. An answer to no pending question is ignored. */
  settle(response: JsonRpcResponse): void {
    const waiting = response.id === null ? undefined : this.#pending?.get(response.id);
    if (!waiting) return;
    if ("error" in response) waiting.reject(new AnswerFault(response.error));
    else if (isRecord(response.result)) waiting.resolve(response.result);
    else waiting.reject(new Fault("unanswered", "The client's answer is not a result object."));
  }

  close(reason: string): void {
    for (const request of this.running) request.cancel(reason);
    for (const stop of this.#watches?.values() ?? []) stop();
    this.#watches?.clear();
    for (const waiting of this.#pending?.values() ?? []) waiting.reject(new Fault("cancelled", reason));
    this.onClose?.();
  }
}
