import { Fault } from "../../core/fault.ts";
import type { SpilledText, SpilledTexts } from "../../core/json-bytes.ts";
import { LazyAbort } from "../../core/lazy-abort.ts";
import { type ClientFacts, hasTasks, missingCapability } from "../messages/client-facts.ts";
import type { Answer, ClientLogLine, McpLogLevel, Progress, Question } from "../messages/interim-messages.ts";
import { type JsonRpcId, notification } from "../messages/json-rpc.ts";
import type { Era } from "../messages/protocol-version.ts";
import type { RequestContext } from "./offer.ts";
import { isAtLeast, type Peer, type Send } from "./peer.ts";
import type { ResumableRun } from "./resumable-run.ts";
import type { RequestHeaders } from "../../core/http/request-headers.ts";

/** The way back of one request: what is sent here reaches the client before the answer does. */
export interface ReplyRoute {
  send: Send;
  releaseStream?(): void;
  /** The HTTP headers, where there are any: the modern era checks them against the body. */
  readonly headers?: RequestHeaders | undefined;
  /** Texts of the request that were too long for memory, by the marks that stand for them in the arguments. */
  readonly spilled?: SpilledTexts | undefined;
}

export interface RequestEnvelope {
  readonly era: Era;
  readonly protocolVersion: string;
  readonly client: ClientFacts;
  readonly meta: Readonly<Record<string, unknown>>;
  /** Undefined where the client wants no log lines. */
  readonly logLevel: McpLogLevel | undefined;
}

const noMeta = {};

/**
 * A request being served. A class, not a closure: one is made for every call, and methods on the prototype make that
 * cheap.
 */
export class ServedRequest implements RequestContext {
  readonly era: Era;
  readonly protocolVersion: string;
  readonly client: ClientFacts;
  readonly meta: Readonly<Record<string, unknown>>;
  readonly peer: Peer;
  /** Set from the first question or detachment on, in the modern era. */
  run: ResumableRun | undefined;
  /** Makes the run when it is first needed; given by the server for methods that may have one. */
  startRun: ((request: ServedRequest) => ResumableRun) | undefined;
  cancelled = false;
  /** Set where this request goes on with an earlier one's run: that is what a cancel has to stop. */
  resumed: ResumableRun | undefined;
  #route: ReplyRoute | undefined;
  readonly #spilled: SpilledTexts | undefined;
  readonly abort = new LazyAbort();
  #logLevel: McpLogLevel | undefined;
  #progressToken: JsonRpcId | undefined;
  #progressed = -Infinity;

  constructor(peer: Peer, route: ReplyRoute, facts: RequestEnvelope) {
    this.peer = peer;
    this.era = facts.era;
    this.protocolVersion = facts.protocolVersion;
    this.client = facts.client;
    this.meta = facts.meta ?? noMeta;
    this.#logLevel = facts.logLevel;
    this.#route = route;
    this.#spilled = route.spilled;
    this.#progressToken = progressTokenOf(this.meta);
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
    const found = this.meta.traceparent ?? this.#route?.headers?.traceparent;
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

  /** The work ends, and the client is told why: unlike after a cancel it still waits for an answer. */
  stop(fault: Fault): void {
    if (this.abort.aborted) return;
    this.abort.abort(fault);
    this.resumed?.stop(fault);
  }

  /** A later round of the same call brings its own way back; between rounds, and after the answer, there is none. */
  reroute(route: ReplyRoute | undefined, meta?: Readonly<Record<string, unknown>>): void {
    this.#route = route;
    if (meta) this.#progressToken = progressTokenOf(meta);
  }

  progress(progress: Progress): void {
    if (!(progress.progress > this.#progressed)) return;
    this.#progressed = progress.progress;
    this.run?.noteProgress(progress);
    if (this.#progressToken === undefined || !this.#route) return;
    this.#route.send(notification("notifications/progress", { progressToken: this.#progressToken, ...progress }));
  }

  tell(line: ClientLogLine): void {
    const wanted = this.logLevel;
    if (wanted === undefined || !this.#route || !isAtLeast(line.level, wanted)) return;
    this.#route.send(notification("notifications/message", { ...line }));
  }

  async ask(question: Question, key?: string): Promise<Answer> {
    if (this.cancelled) throw new Fault("cancelled", "The call was cancelled: nobody waits for what it asks.");
    const missing = missingCapability(this.client, question);
    if (missing) {
      throw new Fault("missing-capability", `This needs a client that supports ${Object.keys(missing).join(", ")}.`, {
        detail: { requiredCapabilities: missing },
      });
    }
    if (this.era === "modern") {
      const run = this.#openRun();
      if (run) return run.ask(question, key);
    } else if (this.peer.twoWay && this.#route) {
      return this.peer.ask(question, this.#route.send, this.signal);
    }
    throw new Fault("missing-capability", "This client can't be asked here: it opened no session.", {
      detail: { requiredCapabilities: {} },
    });
  }

  detach(statusMessage?: string): boolean {
    if (this.era !== "modern" || !hasTasks(this.client)) return false;
    return this.#openRun()?.detach(statusMessage) ?? false;
  }

  /** Keeps the spilled texts until the handler is done, which may be after the request is answered. */
  holdSpilled(): () => void {
    return this.#spilled?.hold() ?? doNothing;
  }

  spilled(text: string): SpilledText | undefined {
    return this.#spilled?.get(text);
  }

  releaseStream(): void {
    this.#route?.releaseStream?.();
  }

  #openRun(): ResumableRun | undefined {
    return (this.run ??= this.startRun?.(this));
  }
}

const doNothing = (): void => {};

function progressTokenOf(meta: Readonly<Record<string, unknown>>): JsonRpcId | undefined {
  const token = meta.progressToken;
  return typeof token === "string" || typeof token === "number" ? token : undefined;
}
