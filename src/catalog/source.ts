import type {
  GetPromptResult,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
} from "../mcp/messages/resources-and-prompts.ts";
import type { Tool, ToolResult } from "../mcp/messages/tool.ts";
import type { Completion, CompletionRequest } from "../mcp/server/offer.ts";
import type { Advice } from "./advice.ts";
import type { CallContext } from "./call-context.ts";
import type { Caller } from "./caller.ts";

export type Unsubscribe = () => void;

/** Something that offers tools. The catalog asks; the source answers, and says when its list changes. */
export interface ToolSource {
  readonly id: string;
  /** What kind of source this is; rules and defaults of the guard go by it. */
  readonly kind: "server" | "app" | "machine" | "agent";
  /** Whether annotations of this source's tools count as facts under the strict preset. */
  readonly trusted?: boolean;
  /** Prefix of its tools in the whole catalog: `<prefix>__<tool>`. Without one the names stand bare. */
  readonly prefix?: string;
  /** How long a call may take before a client that knows tasks gets one instead of waiting; 10,000 unless given. */
  readonly taskAfterMs?: number | undefined;
  /** Cheap and synchronous: the source keeps its own list fresh. Same array object until the list changes. */
  tools(): readonly Tool[];
  call(name: string, args: unknown, context: CallContext): Promise<ToolResult>;
  onChange(listener: () => void): Unsubscribe;
  close(): Promise<void>;
}

/** A source that also has resources. URIs pass through untouched. */
export interface ResourceSource {
  resources(): readonly Resource[];
  resourceTemplates(): readonly ResourceTemplate[];
  readResource(uri: string, context: CallContext): Promise<ReadResourceResult>;
  /** Calls the listener when the resource at `uri` changes, until unsubscribed. */
  watchResource(uri: string, listener: () => void): Promise<Unsubscribe>;
}

/** A source that also has prompts. */
export interface PromptSource {
  prompts(): readonly Prompt[];
  getPrompt(name: string, args: Readonly<Record<string, string>>, context: CallContext): Promise<GetPromptResult>;
}

/** A source that can finish what a person types for its prompts and templates. */
export interface CompletionSource {
  complete(request: CompletionRequest, context: CallContext): Promise<Completion>;
}

/** A source that says how it wants to be used. */
export interface InstructingSource {
  instructions(): string | undefined;
}

/** A source with a say of its own in whether a call may run: the consent of a capability, exec approvals. */
export interface AdvisingSource {
  /** Nothing where it has nothing to say. The guard asks the question, if there is one to ask. */
  adviceOn(name: string, args: unknown, caller: Caller): Advice | undefined | Promise<Advice | undefined>;
}

export type Source = ToolSource &
  Partial<ResourceSource> &
  Partial<PromptSource> &
  Partial<CompletionSource> &
  Partial<InstructingSource> &
  Partial<AdvisingSource>;

/** A tool with its place in the catalog. The same object for as long as nothing about it changes. */
export interface CatalogTool {
  /** Its name in the catalog: rules, approvals and the audit go by it, whatever a view calls it. */
  readonly name: string;
  readonly source: Source;
  /** As the source lists it, and as it must be called there. */
  readonly tool: Tool;
  /** As it is shown: the same tool under the name of the catalog, or of the view it was found in. */
  readonly definition: Tool;
}

export interface CatalogPrompt {
  readonly name: string;
  readonly source: Source;
  readonly prompt: Prompt;
  readonly definition: Prompt;
}

/** The same thing under another name; schemas and all the rest stay the very objects they were. */
export function renamed<T extends { readonly name: string }>(item: T, name: string): T {
  return item.name === name ? item : { ...item, name };
}
