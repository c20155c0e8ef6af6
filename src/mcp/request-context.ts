import type { Abort } from "../core/lazy-abort.ts";
import type { ClientFacts } from "./client-facts.ts";
import type { SpilledText } from "./json-spiller.ts";
import type { ClientLogLine, McpLogLevel, Progress } from "./progress.ts";
import type { Era } from "./protocol-version.ts";
import type { Answer, Question } from "./question.ts";

/** What a handler of an offer knows about the request it serves, and how it speaks to the client meanwhile. */
export interface RequestContext {
  readonly era: Era;
  readonly protocolVersion: string;
  readonly client: ClientFacts;
  /** Who the door says this is (the name of a token, say): what one principal started, no other may continue. */
  readonly principal: string;
  /** The `_meta` of the request. */
  readonly meta: Readonly<Record<string, unknown>>;
  /** W3C trace context the request came with, in `_meta` or as a header; unchecked. */
  readonly traceparent: string | undefined;
  /** The legacy session the request belongs to, where there is one. */
  readonly sessionId: string | undefined;
  /** Aborted when the client cancels, goes away for good, or the server closes. */
  readonly signal: AbortSignal;
  /** The same, for those who need no AbortSignal: it costs less. */
  readonly abort: Abort;
  /** Dropped where the client did not ask for progress. */
  progress(progress: Progress): void;
  /** From which level on the client takes log lines; nothing where it wants none. */
  readonly logLevel: McpLogLevel | undefined;
  /** A log line for the client; dropped below the level it wants. */
  tell(line: ClientLogLine): void;
  /**
   * Asks the client and waits for its answer, by whichever way its era has. `key` names the question in the modern
   * era, so that a client may send the answer along with its first request. Faults with `missing-capability` where the
   * client can't be asked.
   */
  ask(question: Question, key?: string): Promise<Answer>;
  /**
   * From here on the tool call is a task, where the client knows tasks and there is room for one: it gets a handle at
   * once and the result by polling. Says whether that happened; if not, the call goes on as it was.
   */
  detach(statusMessage?: string): boolean;
  /** The long text that stands behind a mark in the arguments, where the door puts such texts on disk. */
  spilled(text: string): SpilledText | undefined;
  /** Closes the answering event stream of a legacy session; the client comes back for the rest with Last-Event-ID. */
  releaseStream(): void;
}
