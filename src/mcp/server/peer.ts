import { Fault } from "../../core/fault.ts";
import { type ClientFacts, unknownClient } from "../messages/client-facts.ts";
import { type Answer, logLevels, type McpLogLevel, type Question } from "../messages/interim-messages.ts";
import { type JsonRpcId, type JsonRpcMessage, type JsonRpcResponse, notification } from "../messages/json-rpc.ts";

/** Sends one message to the client. */
export type Send = (message: JsonRpcMessage) => void;

export interface PeerOptions {
  readonly principal: string;
  readonly sessionId?: string | undefined;
  /** Sends what belongs to no request: list changes, resource updates. Without it there is no such way. */
  readonly push?: Send | undefined;
  /** Whether the client can answer requests of ours: not so where a single POST is all there is. */
  readonly twoWay: boolean;
  /** Ids for our own requests, where several peers share a way in. */
  readonly askId?: (() => string) | undefined;
}

interface Asked {
  resolve(answer: Answer): void;
  reject(error: Fault): void;
}

const noWatches: Map<string, () => void> = new Map();

/**
 * One client as the server knows it: a stdio process, a session, or a single request that stands alone. A class, not a
 * closure: there may be one for every request, and methods on the prototype make that cheap.
 */
export class Peer implements PeerOptions {
  readonly principal: string;
  readonly sessionId: string | undefined;
  readonly push: Send | undefined;
  readonly twoWay: boolean;
  readonly askId: (() => string) | undefined;
  /** What `initialize` settled; undefined before it, and for good where there is no handshake. */
  version: string | undefined = undefined;
  client: ClientFacts = unknownClient;
  logLevel: McpLogLevel = "info";
  readonly running: Map<JsonRpcId, { cancel(reason: string): void; stop(fault: Fault): void }> = new Map();
  /** Told once it is closed. */
  onClose: (() => void) | undefined = undefined;
  readonly #waitForAnswersMs: number;
  #asked = 0;
  #pending: Map<JsonRpcId, Asked> | undefined;
  #watches: Map<string, () => void> | undefined;

  constructor(options: PeerOptions, waitForAnswersMs: number) {
    this.principal = options.principal;
    this.sessionId = options.sessionId;
    this.push = options.push;
    this.twoWay = options.twoWay;
    this.askId = options.askId;
    this.#waitForAnswersMs = waitForAnswersMs;
  }

  /** Resource addresses this client watches, each with the way to stop. */
  get watches(): Map<string, () => void> {
    return this.push === undefined ? noWatches : (this.#watches ??= new Map());
  }

  /** How many questions the client has not answered yet. */
  get asking(): number {
    return this.#pending?.size ?? 0;
  }

  ask(question: Question, send: Send, signal: AbortSignal): Promise<Answer> {
    const id = this.askId?.() ?? `ask-${++this.#asked}`;
    const waiting = (this.#pending ??= new Map<JsonRpcId, Asked>());
    return new Promise<Answer>((resolve, fail) => {
      const done = () => {
        waiting.delete(id);
        clearTimeout(timer);
        signal.removeEventListener("abort", stop);
      };
      const reject = (error: Fault) => (done(), fail(error));
      const stop = () => reject(new Fault("cancelled", "The call was cancelled before the client answered."));
      // A session outlives its connections: without an end to the waiting, a client that died would hold its call.
      const timer = setTimeout(() => {
        send(notification("notifications/cancelled", { requestId: id, reason: "No answer came in time." }));
        reject(new Fault("timeout", "The client did not answer in time."));
      }, this.#waitForAnswersMs);
      timer.unref();
      if (signal.aborted) return stop();
      signal.addEventListener("abort", stop, { once: true });
      waiting.set(id, { resolve: (answer) => (done(), resolve(answer)), reject });
      send({ jsonrpc: "2.0", id, method: question.method, ...(question.params ? { params: question.params } : {}) });
    });
  }

  /** Takes the client's answer to a question; an answer nobody waits for is dropped. */
  settle(response: JsonRpcResponse): void {
    const waiting = response.id === null ? undefined : this.#pending?.get(response.id);
    if (!waiting) return;
    if ("error" in response) {
      const said = JSON.stringify(response.error?.message ?? null).slice(0, 300);
      waiting.reject(new Fault("unavailable", `The client could not answer: ${said}`));
    } else if (typeof response.result === "object" && response.result !== null) {
      waiting.resolve(response.result as Answer);
    } else {
      waiting.reject(new Fault("unavailable", "The client answered with something that is no result object."));
    }
  }

  close(reason: string): void {
    for (const request of this.running.values()) request.cancel(reason);
    for (const stop of this.#watches?.values() ?? []) stop();
    this.#watches?.clear();
    for (const waiting of this.#pending?.values() ?? []) waiting.reject(new Fault("cancelled", reason));
    this.onClose?.();
  }
}

export function isAtLeast(level: McpLogLevel, wanted: McpLogLevel): boolean {
  return logLevels.indexOf(level) >= logLevels.indexOf(wanted);
}
