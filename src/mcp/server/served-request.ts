import { Fault } from "../../core/fault.ts";
import type { RequestHeaders } from "../../core/http/request-headers.ts";
import type { SpilledText, SpilledTexts } from "../../core/json-bytes.ts";
import { LazyAbort } from "../../core/lazy-abort.ts";
import { type ClientFacts, hasTasks, missingCapability } from "../messages/client-facts.ts";
import { callerEraKey, metaKeys, type RequestEnvelope } from "../messages/envelope.ts";
import {
  type Answer,
  type ClientLogLine,
  isLevelAtLeast,
  type McpLogLevel,
  type Progress,
  type Question,
  questionIn,
} from "../messages/interim-messages.ts";
import { type JsonRpcId, notification, type Params, readId } from "../messages/json-rpc.ts";
import type { Era } from "../messages/protocol-version.ts";
import type { RequestContext } from "./offer.ts";
import type { Peer, Send } from "./peer.ts";
import type { ResumableRun } from "./resumable-run.ts";

/** The way back to the client of one request. What is sent here arrives before the response. */
export interface ReplyRoute {
  send: Send;
  releaseStream?(): void;
  /** The HTTP headers, if any. The modern era checks them against the body. */
  readonly headers?: RequestHeaders | undefined;
  /** Strings of the request that were moved to disk, by the placeholders that replace them in the arguments. */
  readonly spilled?: SpilledTexts | undefined;
}

/**
 * A request being served. A class, not a closure: there is one for every call, and methods on the prototype keep it
 * cheap.
 */
export class ServedRequest implements RequestContext {
  readonly id: JsonRpcId;
  readonly era: Era;
  readonly protocolVersion: string;
  readonly client: ClientFacts;
  readonly meta: Params;
  readonly peer: Peer;
  /** Modern era: set by the first question or `detach`. Legacy era: set if the client called the tool as a task. */
  run: ResumableRun | undefined;
  /** Legacy era only: the id of the task, which everything sent about it must name. */
  taskId: string | undefined;
  /** Creates the run when it is first needed. The server sets it for methods that may have one. */
  startRun: ((request: ServedRequest) => ResumableRun) | undefined;
  cancelled = false;
  /** The run of an earlier request that this one continues. A cancel must stop that run. */
  resumed: ResumableRun | undefined;
  #route: ReplyRoute | undefined;
  /** Kept beyond the route: a call that asked its client still belongs to the trace it came with. */
  readonly #headers: RequestHeaders | undefined;
  readonly #spilled: SpilledTexts | undefined;
  readonly abort = new LazyAbort();
  #logLevel: McpLogLevel | undefined;
  #progressToken: JsonRpcId | undefined;
  #lastProgress = -Infinity;

  constructor(id: JsonRpcId, peer: Peer, route: ReplyRoute, envelope: RequestEnvelope) {
    this.id = id;
    this.peer = peer;
    this.era = envelope.era;
    this.protocolVersion = envelope.protocolVersion;
    this.client = envelope.client;
    this.meta = envelope.meta;
    this.#logLevel = envelope.logLevel;
    this.#route = route;
    this.#headers = route.headers;
    this.#spilled = route.spilled;
    this.#progressToken = progressTokenOf(this.meta);
  }

  get callerEra(): Era {
    return this.meta[callerEraKey] === "legacy" ? "legacy" : this.era;
  }

  get principal(): string {
    return this.peer.principal;
  }

  get sessionId(): string | undefined {
    return this.peer.sessionId;
  }

  get logLevel(): McpLogLevel | undefined {
    return this.era === "legacy" ? this.peer.logLevel : this.#logLevel;
  }

  get traceparent(): string | undefined {
    const found = this.meta.traceparent ?? this.#headers?.traceparent;
    return typeof found === "string" ? found : undefined;
  }

  get tracestate(): string | undefined {
    const found = this.meta.traceparent === undefined ? this.#headers?.tracestate : this.meta.tracestate;
    return typeof found === "string" ? found : undefined;
  }

  get baggage(): string | undefined {
    const found = this.meta.baggage ?? this.#headers?.baggage;
    return typeof found === "string" ? found : undefined;
  }

  get signal(): AbortSignal {
    return this.abort.signal;
  }

  cancel(reason: string): void {
    if (this.abort.aborted) return;
    this.cancelled = true;
    this.#route = undefined;
    this.abort.abort(new Fault("cancelled", reason));
    this.resumed?.abandon(reason);
  }

  /** Ends the work with a fault. Unlike after a cancel, the client still gets a response. */
  stop(fault: Fault): void {
    if (this.abort.aborted) return;
    this.abort.abort(fault);
    this.resumed?.stop(fault);
  }

  /** Each round of a call has its own route. Between rounds, and after the response, there is none. */
  reroute(route: ReplyRoute | undefined, meta?: Params): void {
    this.#route = route;
    if (meta) this.#progressToken = progressTokenOf(meta);
  }

  progress(progress: Progress): void {
    if (!(progress.progress > this.#lastProgress)) return;
    this.#lastProgress = progress.progress;
    this.run?.onProgress(progress);
    const send = this.taskId === undefined ? this.#route?.send : this.peer.push;
    if (this.#progressToken === undefined || !send) return;
    const about = this.taskId === undefined ? {} : { _meta: relatedTo(this.taskId) };
    send(notification("notifications/progress", { progressToken: this.#progressToken, ...progress, ...about }));
  }

  tell(line: ClientLogLine): void {
    const threshold = this.logLevel;
    if (threshold === undefined || !this.#route || !isLevelAtLeast(line.level, threshold)) return;
    this.#route.send(notification("notifications/message", { ...line }));
  }

  async ask(question: Question, key?: string): Promise<Answer> {
    if (this.cancelled) throw new Fault("cancelled", "The call was cancelled, so it can't ask the client.");
    const missing = missingCapability(this.client, question);
    if (missing) {
      throw new Fault(
        "missing-capability",
        `This tool needs a client that supports ${Object.keys(missing).join(", ")}.`,
        {
          detail: { requiredCapabilities: missing },
        },
      );
    }
    if (this.era === "modern" || this.run) {
      const run = this.#openRun();
      if (run) return run.ask(questionIn(this.callerEra, question), key);
    } else if (this.peer.twoWay && this.#route) {
      return this.peer.ask(questionIn("legacy", question), this.#route.send, this.signal);
    }
    throw new Fault("missing-capability", "This client can't be asked: it has no session.", {
      detail: { requiredCapabilities: {} },
    });
  }

  elicitationComplete(elicitationId: string): void {
    if (this.callerEra === "modern") return;
    const send = this.peer.push ?? this.#route?.send;
    send?.(notification("notifications/elicitation/complete", { elicitationId }));
  }

  detach(statusMessage?: string): boolean {
    if (this.isTask) return true;
    if (this.era !== "modern" || !hasTasks(this.client)) return false;
    return this.#openRun()?.detach(statusMessage) ?? false;
  }

  get isTask(): boolean {
    return this.run?.isTask ?? false;
  }

  /** Keeps the strings on disk until the handler is done, which may be after the response. */
  holdSpilled(): () => void {
    return this.#spilled?.hold() ?? doNothing;
  }

  spilled(placeholder: string): SpilledText | undefined {
    return this.#spilled?.get(placeholder);
  }

  releaseStream(): void {
    this.#route?.releaseStream?.();
  }

  #openRun(): ResumableRun | undefined {
    return (this.run ??= this.startRun?.(this));
  }
}

/** Answers the requests of one method. */
export type MethodHandler = (
  params: Params,
  request: ServedRequest,
  headers: RequestHeaders | undefined,
) => object | Promise<object>;

const doNothing = (): void => {};

/** The `_meta` of everything about a task of 2025-11-25. */
export function relatedTo(taskId: string): Params {
  return { [metaKeys.relatedTask]: { taskId } };
}

function progressTokenOf(meta: Params): JsonRpcId | undefined {
  return readId(meta.progressToken);
}
