import type { GetPromptResult, Prompt } from "./prompt.ts";
import type { RequestContext } from "./request-context.ts";
import type { ReadResourceResult, Resource, ResourceTemplate } from "./resource.ts";
import type { Icon, Tool, ToolResult } from "./tool.ts";

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
  watch?(uri: string, listener: () => void): Promise<() => void>;
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
