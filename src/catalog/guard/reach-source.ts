import { Fault } from "../../core/fault.ts";
import { quoted } from "../../core/text/peer-text.ts";
import type { GetPromptResult, ReadResourceResult } from "../../mcp/messages/resources-and-prompts.ts";
import type { GetSkillResult, ReadDirectoryResult } from "../../mcp/messages/skill.ts";
import type { ToolResult } from "../../mcp/messages/tool.ts";
import type { Completion, CompletionRequest } from "../../mcp/server/offer.ts";
import type { CallContext } from "../call-context.ts";
import type { Caller } from "../caller.ts";
import type { CatalogPrompt, CatalogTool, ListedSource, Source, Unsubscribe } from "../source.ts";
import type { View } from "../view.ts";

/** What a caller asks for: a tool call, or a read from a source. */
export interface Operation {
  readonly source: ListedSource;
  /** Undefined for reads of resources and prompts. */
  readonly tool?: CatalogTool;
  /** For a read of a prompt. */
  readonly prompt?: CatalogPrompt;
  readonly args: unknown;
  /** Its name in messages and in the audit: the tool, or the method of a read. */
  readonly what: string;
}

/** An operation with how it runs at its source. */
export interface ReachedOperation<T> extends Operation {
  run(context: CallContext): Promise<T>;
}

/**
 * The only way to the calls of a source. The guard judges what it reaches before it runs; a relay lets it pass to the hub,
 * whose guard judges it. `npm run check` fails if anything else imports this.
 */
export function reachTool(tool: CatalogTool, args: unknown): ReachedOperation<ToolResult> {
  const { source, name: what } = tool;
  return { source, tool, args, what, run: (context) => callable(source).call(tool.tool.name, args, context) };
}

type Resources = Pick<View, "findResource">;

export function reachResource(view: Resources, uri: string, caller: Caller): ReachedOperation<ReadResourceResult> {
  const { source, uri: own } = requireResource(view, uri, caller);
  const run = (context: CallContext) => callable(source).readResource!(own, context);
  return { source, args: { uri: own }, what: "resources/read", run };
}

export function reachWatch(
  view: Resources,
  uri: string,
  listener: () => void,
  caller: Caller,
): ReachedOperation<Unsubscribe> {
  const { source, uri: own } = requireResource(view, uri, caller);
  const run = async () => (await callable(source).watchResource?.(own, listener)) ?? (() => {});
  return { source, args: { uri: own }, what: "resources/subscribe", run };
}

export function reachSkill(view: View, uri: string, caller: Caller): ReachedOperation<GetSkillResult> {
  const { source, uri: own } = requireSkill(view, uri, caller);
  const run = (context: CallContext) => callable(source).getSkill!(own, context);
  return { source, args: { uri: own }, what: "skills/get", run };
}

export function reachDirectory(
  view: View,
  uri: string,
  cursor: string | undefined,
  caller: Caller,
): ReachedOperation<ReadDirectoryResult> {
  const { source, uri: own } = requireSkill(view, uri, caller);
  const run = (context: CallContext) => callable(source).readDirectory!(own, cursor, context);
  return { source, args: { uri: own }, what: "resources/directory/read", run };
}

export function reachPrompt(
  view: View,
  name: string,
  args: Readonly<Record<string, string>>,
): ReachedOperation<GetPromptResult> {
  const prompt = view.findPrompt(name);
  if (prompt === undefined) throw new Fault("unknown-prompt", `There is no prompt called ${quoted(name)}.`);
  const { source } = prompt;
  const run = (context: CallContext) => callable(source).getPrompt!(prompt.prompt.name, args, context);
  return { source, prompt, args, what: "prompts/get", run };
}

/** Undefined if no source can complete that. */
export function reachCompletion(view: View, request: CompletionRequest): ReachedOperation<Completion> | undefined {
  const found = view.findCompletion(request);
  if (found === undefined) return undefined;
  const { source, request: own } = found;
  const run = (context: CallContext) => callable(source).complete!(own, context);
  return { source, args: request.argument, what: "completion/complete", run };
}

function callable(source: ListedSource): Source {
  return source as Source;
}

function requireResource(view: Resources, uri: string, caller: Caller) {
  const found = view.findResource(uri, caller);
  if (found !== undefined) return found;
  throw new Fault("unknown-resource", `There is no resource at ${quoted(uri)}.`, { detail: { uri } });
}

/** SEP-2640: a skill or a directory that does not exist is a wrong parameter in every revision. */
function requireSkill(view: View, uri: string, caller: Caller) {
  const found = view.findSkill(uri, caller);
  if (found !== undefined) return found;
  throw new Fault("bad-params", `There is no skill at ${quoted(uri)}.`, { detail: { uri } });
}
