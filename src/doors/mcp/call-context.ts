import type { Log } from "../../core/log.ts";
import type { Caller, DoorKind } from "../../catalog/caller.ts";
import type { CallContext } from "../../catalog/tool-source.ts";
import type { ClientFacts } from "../../mcp/client-facts.ts";
import type { SpilledText } from "../../mcp/json-spiller.ts";
import { missingCapability } from "../../mcp/client-facts.ts";
import type { ClientLogLine, McpLogLevel, Progress } from "../../mcp/progress.ts";
import type { Answer, Question } from "../../mcp/question.ts";
import type { RequestContext } from "../../mcp/request-context.ts";

/** A request of an MCP door as the catalog's side sees it. A class, since one is made for every call. */
export class DoorCallContext implements CallContext {
  readonly caller: Caller;
  readonly log: Log;
  readonly traceparent?: string;
  readonly #request: RequestContext;

  constructor(request: RequestContext, door: DoorKind, log: Log, traceparent: string | undefined) {
    const client = request.client.name;
    this.caller = {
      door,
      token: request.principal,
      ...(client === undefined ? undefined : { client }),
      ...(request.sessionId === undefined ? undefined : { sessionKey: request.sessionId }),
    };
    this.log = log;
    if (traceparent !== undefined) this.traceparent = traceparent;
    this.#request = request;
  }

  get client(): ClientFacts {
    return this.#request.client;
  }

  get signal(): AbortSignal {
    return this.#request.signal;
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
