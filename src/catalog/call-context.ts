import type { SpilledText } from "../core/json-bytes.ts";
import type { Abort } from "../core/lazy-abort.ts";
import type { Log } from "../core/log.ts";
import type { Span } from "../core/telemetry/telemetry.ts";
import { parseTraceparent } from "../core/telemetry/trace-context.ts";
import { type ClientFacts, missingCapability } from "../mcp/messages/client-facts.ts";
import type { Answer, ClientLogLine, McpLogLevel, Progress, Question } from "../mcp/messages/interim-messages.ts";
import type { Era } from "../mcp/messages/protocol-version.ts";
import type { RequestContext } from "../mcp/server/offer.ts";
import type { GivenApproval } from "./advice.ts";
import type { Caller } from "./caller.ts";

/** Who calls, how to stop, where progress goes. Every await that crosses a process or socket takes `signal`. */
export interface CallContext {
  readonly caller: Caller;
  /** Name and capabilities of the calling client, if it is an MCP client. */
  readonly client?: ClientFacts | undefined;
  readonly signal: AbortSignal;
  /** The same as `signal`, but cheaper where no AbortSignal is needed. Not every caller has it. */
  readonly abort?: Abort | undefined;
  readonly log: Log;
  progress(progress: Progress): void;
  /** The lowest level of log lines that the caller requested; undefined if it requested none. */
  readonly logLevel?: McpLogLevel | undefined;
  /** A log line for the calling client; dropped below the level it requested. */
  tell(line: ClientLogLine): void;
  /**
   * Asks the calling client; rejects with `missing-capability` if the client does not support it. `key` is the name that the
   * question has at the server that asks it.
   */
  ask(question: Question, key?: string): Promise<Answer>;
  /** Whether the caller has been given a task for this call, and polls for the result. */
  readonly isTask?: boolean | undefined;
  /** Gives the caller a task, if it knows tasks. Returns whether it has one now; without one it waits. */
  detach?(statusMessage?: string): boolean;
  /** The era of the calling client, if it is an MCP client. */
  readonly era?: Era | undefined;
  /** The user has done what a question asked for that sent them to a URL. The caller may have its result by then. */
  elicitationComplete?(elicitationId: string): void;
  /** W3C trace context of the call, passed on to whatever the source calls. */
  readonly traceparent?: string | undefined;
  readonly tracestate?: string | undefined;
  /** What the caller says to everything that takes part in the call (W3C Baggage). */
  readonly baggage?: string | undefined;
  /** The span that the call is part of; undefined if it is not traced. */
  readonly span?: Span | undefined;
  /** The same call as part of another span. */
  withSpan?(span: Span): CallContext;
  /** The `_meta` of the caller's request. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  /** The user's answer, if the door has put the guard's question to them already. */
  readonly approval?: GivenApproval | undefined;
}

/**
 * The context of a call that came as a request of an MCP client. A class, not a closure: one is made for every call, and
 * methods on the prototype make that cheap. So does making the signal only when it is read.
 */
export class RequestCallContext implements CallContext {
  readonly caller: Caller;
  readonly log: Log;
  readonly span: Span | undefined;
  readonly approval: GivenApproval | undefined;
  readonly #request: RequestContext;

  /** The request names the client, which `from` need not know. */
  constructor(request: RequestContext, from: Caller, log: Log, span?: Span, approval?: GivenApproval) {
    const client = request.client.name;
    this.caller = client === from.client ? from : { ...from, ...(client !== undefined && { client }) };
    this.log = log;
    this.span = span;
    this.approval = approval;
    this.#request = request;
  }

  get traceparent(): string | undefined {
    return this.span === undefined ? this.#request.traceparent : this.span.traceparent;
  }

  get tracestate(): string | undefined {
    const { traceparent, tracestate } = this.#request;
    // A caller whose trace is not valid has begun none: its state must not become that of ours.
    return tracestate === undefined || parseTraceparent(traceparent) === undefined ? undefined : tracestate;
  }

  get baggage(): string | undefined {
    return this.#request.baggage;
  }

  withSpan(span: Span): CallContext {
    return new RequestCallContext(this.#request, this.caller, this.log, span, this.approval);
  }

  get client(): ClientFacts {
    return this.#request.client;
  }

  get signal(): AbortSignal {
    return this.#request.signal;
  }

  get abort(): Abort {
    return this.#request.abort;
  }

  get logLevel(): McpLogLevel | undefined {
    return this.#request.logLevel;
  }

  progress(progress: Progress): void {
    this.#request.progress(progress);
  }

  tell(line: ClientLogLine): void {
    this.#request.tell(line);
  }

  get era(): Era {
    return this.#request.callerEra;
  }

  get meta(): Readonly<Record<string, unknown>> {
    return this.#request.meta;
  }

  ask(question: Question, key?: string): Promise<Answer> {
    return this.#request.ask(question, key);
  }

  get isTask(): boolean {
    return this.#request.isTask;
  }

  detach(statusMessage?: string): boolean {
    return this.#request.detach(statusMessage);
  }

  elicitationComplete(elicitationId: string): void {
    this.#request.elicitationComplete(elicitationId);
  }

  /** Whether the client declared that it can show its user a form. */
  get canAsk(): boolean {
    return missingCapability(this.#request.client, { method: "elicitation/create" }) === undefined;
  }

  /** For sources that take large media: the text that was put into a file, by its placeholder in the arguments. */
  spilled(text: string): SpilledText | undefined {
    return this.#request.spilled(text);
  }
}
