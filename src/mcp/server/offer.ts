import type { Fault } from "../../core/fault.ts";
import type { SpilledText } from "../../core/json-bytes.ts";
import type { Abort } from "../../core/lazy-abort.ts";
import type { ClientFacts } from "../messages/client-facts.ts";
import type { Extensions } from "../messages/extensions.ts";
import type { Answer, ClientLogLine, McpLogLevel, Progress, Question } from "../messages/interim-messages.ts";
import type { Era } from "../messages/protocol-version.ts";
import type {
  GetPromptResult,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
} from "../messages/resources-and-prompts.ts";
import type { GetSkillResult, ReadDirectoryResult, Skill } from "../messages/skill.ts";
import type { Icon, Tool, ToolResult } from "../messages/tool.ts";

export interface ServerInfo {
  readonly name: string;
  readonly version: string;
  readonly title?: string;
  readonly websiteUrl?: string;
  readonly icons?: readonly Icon[];
}

/** The client that a list or an instruction is for. */
export type Requester = Pick<RequestContext, "client" | "principal">;

export interface ToolOffer {
  /** The list for this client: the same array object until that list changes. */
  list(requester: Requester): readonly Tool[];
  /** Whether the lists of two clients can differ: then a change is announced to those whose own list has changed. */
  readonly differs?: boolean;
  find(name: string, requester: Requester): Tool | undefined;
  /**
   * The call that this one stands for, if it names a tool that calls others. It is served in every respect as if the
   * client had sent it itself.
   */
  innerCall?(params: Readonly<Record<string, unknown>>, requester: Requester): InnerCall | undefined;
  /** The tool that an inner call names, if that is not the one that `find` returns. */
  findInner?(name: string, requester: Requester): Tool | undefined;
  /** What to do about an inner call of a tool that does not exist, for the model that made it. */
  hintFor?(name: string): string;
  /** A call was refused before it reached a tool: the tool is unknown, or the client can't run it. */
  refused?(name: string, fault: Fault, context: RequestContext): void;
  /** Called before the arguments are checked, to take out what is not meant for the tool. */
  readArguments?(tool: Tool, args: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
  /** Whether the tool judges its arguments itself, so that they are not checked against its schema before the call. */
  judgesArguments?(tool: Tool): boolean;
  /** The arguments fit the tool's schema, unless the tool judges them. An error that is thrown becomes a result with `isError`. */
  call(tool: Tool, args: Readonly<Record<string, unknown>>, context: RequestContext): Promise<ToolResult> | ToolResult;
}

/** The `params` of a call that another one stands for. */
export interface InnerCall extends Readonly<Record<string, unknown>> {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

export interface ResourceOffer {
  list(): readonly Resource[];
  templates(): readonly ResourceTemplate[];
  /** Faults with `unknown-resource` if there is no such resource. */
  read(uri: string, context: RequestContext): Promise<ReadResourceResult>;
  /** Calls the listener when the resource changes, until the returned function is called. */
  watch?(uri: string, listener: () => void, context: RequestContext): Promise<() => void>;
}

export interface PromptOffer {
  list(): readonly Prompt[];
  /** By the listed name unless given; an offer may accept others. */
  find?(name: string): Prompt | undefined;
  /** Whether the prompt judges its arguments itself, so that those it requires may be missing. */
  judgesArguments?(name: string): boolean;
  /** Faults with `unknown-prompt` if there is no such prompt. */
  get(name: string, args: Readonly<Record<string, string>>, context: RequestContext): Promise<GetPromptResult>;
}

/** Skills (SEP-2640). Their files are read as resources. */
export interface SkillOffer {
  list(): readonly Skill[];
  /** Faults with `bad-params` if there is no such skill. */
  get(uri: string, context: RequestContext): Promise<GetSkillResult>;
  /** Faults with `bad-params` if there is no such directory. */
  readDirectory(uri: string, cursor: string | undefined, context: RequestContext): Promise<ReadDirectoryResult>;
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
  /** That of the whole result. */
  readonly _meta?: Readonly<Record<string, unknown>> | undefined;
}

export type OfferChange = "tools" | "resources" | "prompts";

/** A list, by the field of the result that holds it. */
export type ListName = "tools" | "resources" | "resourceTemplates" | "prompts" | "skills";

/** What a server offers. It is read at each request, so a change is visible at once. */
export interface McpOffer {
  readonly info: ServerInfo;
  /** How to use it, for this client. */
  instructions?(requester: Requester): string | undefined;
  /** Whether it tells clients that it has these. Without it, it does if it can serve them. */
  declares?(feature: "resources" | "prompts"): boolean;
  /** The extensions of MCP that the server supports, beside tasks. */
  extensions?(): Extensions;
  readonly tools?: ToolOffer;
  readonly resources?: ResourceOffer;
  readonly prompts?: PromptOffer;
  readonly skills?: SkillOffer;
  complete?(request: CompletionRequest, context: RequestContext): Promise<Completion>;
  /** The `_meta` of a list. */
  listMeta?(list: ListName): Readonly<Record<string, unknown>> | undefined;
  /**
   * What a request waits for while sources are still connecting: a list for all of them, but only a moment; a call of an
   * unknown name for those that may have it. Undefined if there is nothing to wait for.
   */
  arriving?(name?: string): Promise<unknown> | undefined;
  /** Whether its lists are complete: no source is still connecting. Always, unless given. */
  isSettled?(): boolean;
  /** The client is about to get a list as it is now. */
  onListed?(context: RequestContext): void;
  /** Calls the listener when a list has changed, until the returned function is called. */
  onChange?(listener: (change: OfferChange) => void): () => void;
}

/** What a handler knows about the request it serves, and how it reaches the client in the meantime. */
export interface RequestContext {
  readonly era: Era;
  /** The era of the client that a relay forwards the request for; else the same as `era`. */
  readonly callerEra: Era;
  readonly protocolVersion: string;
  readonly client: ClientFacts;
  /** Who sent the request, as the door determined it (such as the name of a token). Only the same principal may continue it. */
  readonly principal: string;
  /** The `_meta` of the request. */
  readonly meta: Readonly<Record<string, unknown>>;
  /** The W3C trace context from `_meta` or a header, unchecked. */
  readonly traceparent: string | undefined;
  /** The `tracestate` that came with `traceparent`, unchecked. */
  readonly tracestate: string | undefined;
  /** W3C Baggage from `_meta` or a header, unchecked. */
  readonly baggage: string | undefined;
  /** The legacy session of the request, if any. */
  readonly sessionId: string | undefined;
  /** Aborted when the client cancels or disconnects for good, or the server closes. */
  readonly signal: AbortSignal;
  /** The same without an AbortSignal, which costs less. */
  readonly abort: Abort;
  /** Ignored if the client did not request progress. */
  progress(progress: Progress): void;
  /** The lowest level of log lines the client takes. Undefined if it takes none. */
  readonly logLevel: McpLogLevel | undefined;
  /** Sends a log line to the client, unless it is below `logLevel`. */
  tell(line: ClientLogLine): void;
  /**
   * Asks the client and waits for its answer, in the way of its era. `key` names the question in the modern era, so that
   * a client can send the answer with its first request. Faults with `missing-capability` if the client can't be asked.
   */
  ask(question: Question, key?: string): Promise<Answer>;
  /** The user has done what a URL question asked for. Only the legacy era has a notification for it; it may come late. */
  elicitationComplete(elicitationId: string): void;
  /**
   * Turns the tool call into a task: the client gets a task id at once and polls for the result. Returns false, and the
   * call goes on as before, if the client does not support tasks or there are too many.
   */
  detach(statusMessage?: string): boolean;
  /** Whether the client has been given a task for this call. */
  readonly isTask: boolean;
  /** The string on disk that a placeholder in the arguments stands for, if the door moves long strings to disk. */
  spilled(placeholder: string): SpilledText | undefined;
  /** Closes the event stream of a request in a legacy session. The client gets the rest with `Last-Event-ID`. */
  releaseStream(): void;
}
