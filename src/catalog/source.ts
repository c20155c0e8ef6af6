import type {
  GetPromptResult,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
} from "../mcp/messages/resources-and-prompts.ts";
import type { Extensions } from "../mcp/messages/extensions.ts";
import type { GetSkillResult, ReadDirectoryResult, Skill } from "../mcp/messages/skill.ts";
import type { Tool, ToolResult } from "../mcp/messages/tool.ts";
import type { Completion, CompletionRequest, ListName } from "../mcp/server/offer.ts";
import type { Advice } from "./advice.ts";
import type { CallContext } from "./call-context.ts";
import type { Caller } from "./caller.ts";
import type { PatternSubject } from "./tool-pattern.ts";

export type Unsubscribe = () => void;

/** Something that offers tools, and reports when its list changes. */
export interface ToolSource {
  readonly id: string;
  /** The guard's rules and defaults can depend on it. */
  readonly kind: "server" | "app" | "machine" | "agent";
  /** What it is, apart from its name: equal for the same program or address. Without it the name says it all. */
  identity?(): string;
  /** Whether the view of everything leaves it out; only those that name it have it. */
  readonly isUnlisted?: boolean;
  /** Whether the hints of its tools count under the strict preset. */
  readonly trusted?: boolean;
  /** Whether its peer judges the arguments of its tools: they are passed on even if they don't fit the schema. */
  readonly judgesArguments?: boolean;
  /** Prefix of its tools in the catalog: `<prefix>__<tool>`. Without one the names are bare. */
  readonly prefix?: string;
  /** How long a call may take before a client that supports tasks gets a task instead; 10,000 unless given. */
  readonly taskAfterMs?: number | undefined;
  /** Cheap: the source keeps its list up to date. The same array until the list changes. */
  tools(): readonly Tool[];
  /** The `_meta` of one of its lists. */
  listMeta?(list: ListName): Readonly<Record<string, unknown>> | undefined;
  /** The extensions of MCP that it supports. */
  extensions?(): Extensions;
  /** Whether its peer has resources or prompts at all; undefined while that is not known. */
  declares?(feature: "resources" | "prompts"): boolean | undefined;
  /** Names that its peer lists more than once. `tools` has the first of each. */
  repeatedNames?(): readonly string[];
  /** A tool as its peer lists it, before the configuration gave it another name or description. */
  asListed?(tool: Tool): Tool;
  /** Defined while it connects for the first time, so that its lists are not known yet. */
  connecting?(): Connecting | undefined;
  call(name: string, args: unknown, context: CallContext): Promise<ToolResult>;
  onChange(listener: () => void): Unsubscribe;
  close(): Promise<void>;
}

/** A source that is still connecting. */
export interface Connecting {
  /** Resolves when its lists are known, or when it is clear that this will take long. */
  readonly settled: Promise<void>;
  /** How long a call to it should wait for that. */
  readonly patienceMs: number;
}

/** A source that also has resources. URIs pass through unchanged. */
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

/** A source that can complete arguments of its prompts and templates. */
export interface CompletionSource {
  complete(request: CompletionRequest, context: CallContext): Promise<Completion>;
}

/** A source that also has skills. Their files are resources. */
export interface SkillSource {
  skills(): readonly Skill[];
  getSkill(uri: string, context: CallContext): Promise<GetSkillResult>;
  readDirectory(uri: string, cursor: string | undefined, context: CallContext): Promise<ReadDirectoryResult>;
}

/** A source with instructions for its use. */
export interface InstructingSource {
  instructions(): string | undefined;
}

/** A source that has a say in whether a call may run: the consent of a capability, exec approvals. */
export interface AdvisingSource {
  /** Undefined if it has no objection. If the advice is to ask, the guard asks. */
  adviceOn(name: string, args: unknown, caller: Caller): Advice | undefined | Promise<Advice | undefined>;
}

export type Source = ToolSource &
  Partial<ResourceSource> &
  Partial<PromptSource> &
  Partial<CompletionSource> &
  Partial<SkillSource> &
  Partial<InstructingSource> &
  Partial<AdvisingSource>;

/** What runs something at a source. Only the guard does. */
type SourceCalls =
  | "call"
  | keyof Pick<ResourceSource, "readResource" | "watchResource">
  | keyof Pick<PromptSource, "getPrompt">
  | keyof CompletionSource
  | keyof Pick<SkillSource, "getSkill" | "readDirectory">;

/** A source as the catalog shows it: everything but its calls. `catalog/guard/callable-source.ts` has them. */
export type ListedSource = Omit<Source, SourceCalls>;

/** A tool with its place in the catalog. The same object while nothing about it changes. */
export interface CatalogTool extends PatternSubject {
  /** Its name in the catalog, which rules, approvals and the audit use whatever a view calls it. */
  readonly name: string;
  readonly source: ListedSource;
  /** As the source lists it; calls to the source use this name. */
  readonly tool: Tool;
  /** As clients see it: the same tool under its name in the catalog or in a view. */
  readonly definition: Tool;
}

export interface CatalogPrompt {
  readonly name: string;
  readonly source: ListedSource;
  readonly prompt: Prompt;
  readonly definition: Prompt;
}

/** The same item under another name; schemas and everything else stay the same objects. */
export function renamed<T extends { readonly name: string }>(item: T, name: string): T {
  return item.name === name ? item : { ...item, name };
}
