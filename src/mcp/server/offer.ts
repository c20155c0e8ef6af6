import type { SpilledText } from "../../core/json-bytes.ts";
import type { Abort } from "../../core/lazy-abort.ts";
import type { ClientFacts } from "../messages/client-facts.ts";
import type { Answer, ClientLogLine, McpLogLevel, Progress, Question } from "../messages/interim-messages.ts";
import type { Era } from "../messages/protocol-version.ts";
import type {
  GetPromptResult,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
} from "../messages/resources-and-prompts.ts";
import type { Icon, Tool, ToolResult } from "../messages/tool.ts";

export interface ServerInfo {
  readonly name: string;
  readonly version: string;
  readonly title?: string;
  readonly websiteUrl?: string;
  readonly icons?: readonly Icon[];
}

export interface ToolOffer {
  /** Same array object until the list changes. */
  list(): readonly Tool[];
  find(name: string): Tool | undefined;
  /** The arguments have passed the tool's schema. What is thrown becomes a result with `isError`. */
  call(tool: Tool, args: Readonly<Record<string, unknown>>, context: RequestContext): Promise<ToolResult> | ToolResult;
}

export interface ResourceOffer {
  list(): readonly Resource[];
  templates(): readonly ResourceTemplate[];
  /** Faults with `unknown-resource` where there is none. */
  read(uri: string, context: RequestContext): Promise<ReadResourceResult>;
  /** Calls the listener when the resource changes, until the returned function is called. */
  watch?(uri: string, listener: () => void, context: RequestContext): Promise<() => void>;
}

export interface PromptOffer {
  list(): readonly Prompt[];
  /** Faults with `unknown-prompt` where there is none. */
  get(name: string, args: Readonly<Record<string, string>>, context: RequestContext): Promise<GetPromptResult>;
}

export interface CompletionRequest {
  readonly ref:
    | { readonly type: "ref/prompt"; readonly name: string }
    | { readonly type: "ref/resource"; readonly uri: string };
  readonly argument: { readonly name: string; readonly value: string };
  readonly context?: { readonly arguments?: Readonly<Record<string, string>> };
}

export interface Completion {
  readonly values: readonly string[];
  readonly total?: number;
  readonly hasMore?: boolean;
}

export type OfferChange = "tools" | "resources" | "prompts";

/** What a server has to offer. The core asks at each request, so a change shows at once. */
export interface McpOffer {
  readonly info: ServerInfo;
  readonly instructions?: string | undefined;
  readonly tools?: ToolOffer;
  readonly resources?: ResourceOffer;
  readonly prompts?: PromptOffer;
  complete?(request: CompletionRequest, context: RequestContext): Promise<Completion>;
  /** Calls the listener when a list has changed, until the returned function is called. */
  onChange?(listener: (change: OfferChange) => void): () => void;
}

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
