import type { SpilledText } from "../core/json-bytes.ts";
import type { Abort } from "../core/lazy-abort.ts";
import type { Log } from "../core/log.ts";
import { type ClientFacts, missingCapability } from "../mcp/messages/client-facts.ts";
import type { Answer, ClientLogLine, McpLogLevel, Progress, Question } from "../mcp/messages/interim-messages.ts";
import type { RequestContext } from "../mcp/server/offer.ts";
import type { Caller } from "./caller.ts";

/** Who calls, how to stop, where progress goes. Every await across a process or socket takes `signal`. */
export interface CallContext {
  readonly caller: Caller;
  /** What the calling client said of itself and what it can do, where it is an MCP client. */
  readonly client?: ClientFacts | undefined;
  readonly signal: AbortSignal;
  /** The same, for those who need no AbortSignal: it costs less. Not every caller has it. */
  readonly abort?: Abort | undefined;
  readonly log: Log;
  progress(progress: Progress): void;
  /** From which level on the caller takes log lines; nothing where it wants none. */
  readonly logLevel?: McpLogLevel | undefined;
  /** A log line for the calling client; dropped below the level it wants. */
  tell(line: ClientLogLine): void;
  /** Asks the calling client; rejects with `missing-capability` where it can't be asked that. */
  ask(question: Question): Promise<Answer>;
  /** W3C trace context of the call, passed on to whatever the source calls. */
  readonly traceparent?: string | undefined;
}

/**
 * A request of an MCP client as the catalog's side sees it. A class, not a closure: one is made for every call, and
 * methods on the prototype make that cheap; so does leaving the signal to whoever looks at it.
 */
export class RequestCallContext implements CallContext {
  readonly caller: Caller;
  readonly log: Log;
  readonly traceparent: string | undefined;
  readonly #request: RequestContext;

  /** The caller without its client, which the request names. */
  constructor(request: RequestContext, from: Caller, log: Log, traceparent = request.traceparent) {
    const client = request.client.name;
    this.caller = client === undefined ? from : { ...from, client };
    this.log = log;
    this.traceparent = traceparent;
    this.#request = request;
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

  ask(question: Question): Promise<Answer> {
    return this.#request.ask(question);
  }

  /** Whether the client has said that it can put a form to its person. */
  get canAsk(): boolean {
    return missingCapability(this.#request.client, { method: "elicitation/create" }) === undefined;
  }

  /** For sources that take large media: the text in a file behind a mark in the arguments. */
  spilled(text: string): SpilledText | undefined {
    return this.#request.spilled(text);
  }
}
