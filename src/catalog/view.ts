import { Fault } from "../core/fault.ts";
import { quoted } from "../core/text/peer-text.ts";
import { type Extensions, mergeExtensions } from "../mcp/messages/extensions.ts";
import type { Prompt, Resource, ResourceTemplate } from "../mcp/messages/resources-and-prompts.ts";
import type { Skill } from "../mcp/messages/skill.ts";
import type { Tool } from "../mcp/messages/tool.ts";
import type { CompletionRequest, ListName } from "../mcp/server/offer.ts";
import { cutText, mergeInstructions } from "./merge-instructions.ts";
import { type Merged, mergeListMeta, sameElements } from "./merge-sources.ts";
import { type FoundResource, indexResources, noResources, type ResourceIndex } from "./resources/resource-index.ts";
import { rewriteResult, rewriteTool } from "./resources/rewrite-uris.ts";
import { qualifyUri } from "./resources/qualified-uri.ts";
import { createShownLinks, maxLookups } from "./resources/shown-links.ts";
import type { Caller } from "./caller.ts";
import { mayHavePrefix, type NarrowNames } from "./names.ts";
import type { CatalogPrompt, CatalogTool, Connecting, ListedSource, Source, Unsubscribe } from "./source.ts";
import { createViewEntries, type ViewEntries } from "./view-entries.ts";

/**
 * Which part of the catalog: all of it but unlisted sources, one source under bare names, or some sources under their names in the catalog or under
 * bare ones.
 */
export type ViewFilter =
  | "all"
  | { readonly source: string }
  | { readonly sources: (source: ListedSource) => boolean; readonly bare?: boolean };

export interface ViewOptions {
  /** `narrow` for peers that accept only `[A-Za-z0-9_-]{1,48}`. A tool can be found under both names in any case. */
  readonly alphabet?: "wide" | "narrow";
}

export interface CatalogChange {
  readonly tools: boolean;
  readonly prompts: boolean;
  readonly resources: boolean;
}

/** A live part of the catalog, as one endpoint serves it. Every list stays the same array until it changes. */
export interface View {
  tools(): readonly CatalogTool[];
  definitions(): readonly Tool[];
  find(name: string): CatalogTool | undefined;
  prompts(): readonly Prompt[];
  findPrompt(name: string): CatalogPrompt | undefined;
  resources(): readonly Resource[];
  resourceTemplates(): readonly ResourceTemplate[];
  skills(): readonly Skill[];
  /** The source that has the skill, or the directory of skills, at a URI that the caller was shown. */
  findSkill(uri: string, caller: Caller): FoundSkill | undefined;
  /**
   * How to use the sources: one source's own text in full, or several texts under their names, shortened to 2 KB in all. With
   * `maxBytes` to that.
   */
  instructions(maxBytes?: number): string | undefined;
  /** Whether one of its sources has these, or may have. */
  declares(feature: "resources" | "prompts"): boolean;
  /** The extensions of MCP that its sources support. */
  extensions(): Extensions;
  /** The `_meta` of a list: what its sources say of theirs, without what they contradict each other in. */
  listMeta(list: ListName): Readonly<Record<string, unknown>> | undefined;
  /** The resource behind a URI that the caller was shown. Faults if several sources have one there. */
  findResource(uri: string, caller: Caller): FoundResource | undefined;
  /** Whether the URIs in results of several sources can meet in this view. */
  readonly sharesUris: boolean;
  /** The caller gets a list as it is now: the URIs in it stay good for it, whatever other sources list later. */
  noteListed(caller: Caller): void;
  /**
   * A result of a source with its URIs in the form that this view shows. What no list mentions is remembered for the
   * caller. `read` is the resource that the caller has read, if that was it, and the URI that it used.
   */
  showUris<T extends object>(
    source: ListedSource,
    result: T,
    caller: Caller,
    read?: FoundResource & { shown: string },
  ): T;
  /** Undefined if no source of the view can complete that. */
  findCompletion(request: CompletionRequest): FoundCompletion | undefined;
  /** The sources that are still connecting; with a name, those that may have a tool or prompt of that name. */
  connecting(name?: string): readonly Connecting[];
  onChange(listener: (change: CatalogChange) => void): Unsubscribe;
}

export interface FoundSkill {
  readonly source: ListedSource;
  /** As the source knows it. */
  readonly uri: string;
}

export interface FoundCompletion {
  readonly source: ListedSource;
  /** As the source knows it. */
  readonly request: CompletionRequest;
}

export interface CatalogState {
  readonly sources: ReadonlyMap<string, Source>;
  readonly tools: Merged<CatalogTool>;
  readonly prompts: Merged<CatalogPrompt>;
  readonly resources: ResourceIndex;
  /** The narrow names of all tools and prompts, made when they are first needed. */
  narrowTools(): NarrowNames;
  narrowPrompts(): NarrowNames;
  /** The prefixes that more than one source has. */
  sharedPrefixes(): ReadonlySet<string>;
}

interface Lists {
  readonly tools: ViewEntries<Tool, CatalogTool>;
  readonly prompts: ViewEntries<Prompt, CatalogPrompt>;
  readonly resources: ResourceIndex;
}

export interface LiveCatalogState {
  state(): CatalogState;
  onChange(listener: () => void): Unsubscribe;
}

export function createView(filter: ViewFilter, { alphabet = "wide" }: ViewOptions, live: LiveCatalogState): View {
  const select = selector(filter);
  const bare = typeof filter === "object" && ("source" in filter || ("sources" in filter && filter.bare === true));
  const usesTable = alphabet === "narrow" && !bare;
  const toolLists = cacheLast((entries: readonly CatalogTool[], { isShared, shownUri }: ResourceIndex) =>
    createViewEntries<Tool, CatalogTool>(entries, {
      original: (entry) => entry.tool,
      show: isShared ? ({ source }, tool) => rewriteTool(tool, (uri) => shownUri(source, uri)) : undefined,
      bare,
      alphabet,
      narrowNames: () => live.state().narrowTools(),
    }),
  );
  const promptLists = cacheLast((entries: readonly CatalogPrompt[]) =>
    createViewEntries<Prompt, CatalogPrompt>(entries, {
      original: (entry) => entry.prompt,
      bare,
      alphabet,
      narrowNames: () => live.state().narrowPrompts(),
    }),
  );
  const links = createShownLinks();
  let seenState: CatalogState | undefined;
  let lists: Lists;

  function current(): Lists {
    const state = live.state();
    if (state !== seenState) {
      seenState = state;
      const resources = resourcesOf(filter, state);
      lists = {
        tools: toolLists(select(state.tools), resources, usesTable ? state.narrowTools() : undefined),
        prompts: promptLists(select(state.prompts), noResources, usesTable ? state.narrowPrompts() : undefined),
        resources,
      };
    }
    return lists;
  }

  return {
    tools: () => current().tools.entries,
    definitions: () => current().tools.definitions,
    find: (name) => current().tools.find(name),
    prompts: () => current().prompts.definitions,
    findPrompt: (name) => current().prompts.find(name),
    resources: () => current().resources.resources,
    resourceTemplates: () => current().resources.templates,
    skills: () => current().resources.skills,
    findSkill(uri, caller) {
      const found = links.find(current().resources, uri, caller);
      return found && hasSkills(found.source) ? { source: found.source, uri: found.uri } : undefined;
    },
    instructions: (maxBytes) => instructionsOf(filter, live.state(), maxBytes),
    declares: (feature) =>
      sourcesOf(filter, live.state()).some(
        (source) => source[feature] !== undefined && source.declares?.(feature) !== false,
      ),
    extensions: () => mergeExtensions(sourcesOf(filter, live.state()).map((source) => source.extensions?.() ?? {})),
    listMeta: (list) => mergeListMeta(sourcesOf(filter, live.state()).map((source) => source.listMeta?.(list))),
    findResource: (uri, caller) => links.find(current().resources, uri, caller),
    get sharesUris() {
      return current().resources.isShared;
    },
    noteListed: (caller) => links.noteListed(current().resources, caller),
    showUris(source, result, caller, read) {
      const { resources } = current();
      if (!resources.isShared) return result;
      let lookups = 0;
      return rewriteResult(result, (uri) => {
        if (uri === read?.uri) return read.shown;
        const isTooMany = ++lookups > maxLookups && "readResource" in source;
        return isTooMany ? qualifyUri(source.id, uri) : links.show(resources, source, uri, caller);
      });
    },
    findCompletion: (request) => findCompletion(current(), request),
    connecting: (name) =>
      sourcesOf(filter, live.state())
        .filter((source) => name === undefined || bare || mayHavePrefix(name, source.prefix ?? ""))
        .flatMap((source) => source.connecting?.() ?? []),
    onChange(listener) {
      let seen = current();
      return live.onChange(() => {
        const before = seen;
        seen = current();
        const change = difference(before, seen);
        if (change.tools || change.prompts || change.resources) listener(change);
      });
    },
  };
}

function hasSkills(source: ListedSource): boolean {
  return "getSkill" in source && "readDirectory" in source && source.skills !== undefined;
}

type Entry = { readonly name: string; readonly source: ListedSource };

function selector(filter: ViewFilter): <E extends Entry>(merged: Merged<E>) => readonly E[] {
  if (filter === "all") return (merged) => merged.all.filter(({ source }) => !source.isUnlisted);
  if ("source" in filter) return (merged) => merged.bySource.get(filter.source) ?? [];
  return (merged) => merged.all.filter(({ source }) => filter.sources(source));
}

function resourcesOf(filter: ViewFilter, state: CatalogState): ResourceIndex {
  if (filter === "all") return state.resources;
  if ("sources" in filter) return indexResources([...state.sources.values()].filter(filter.sources));
  const source = state.sources.get(filter.source);
  return source === undefined ? noResources : indexResources([source]);
}

function instructionsOf(filter: ViewFilter, { sources }: CatalogState, maxBytes?: number): string | undefined {
  if (filter === "all") return mergeInstructions(sources.values(), maxBytes);
  if ("sources" in filter) return mergeInstructions([...sources.values()].filter(filter.sources), maxBytes);
  const own = sources.get(filter.source)?.instructions?.();
  return own === undefined || maxBytes === undefined ? own : cutText(own, maxBytes);
}

function sourcesOf(filter: ViewFilter, { sources }: CatalogState): readonly Source[] {
  if (filter === "all") return [...sources.values()];
  if ("sources" in filter) return [...sources.values()].filter(filter.sources);
  const source = sources.get(filter.source);
  return source === undefined ? [] : [source];
}

interface CachedLists<E, R> {
  readonly entries: readonly E[];
  readonly names: readonly (string | undefined)[];
  readonly key: string;
  readonly result: R;
}

/** Returns the last result again while the entries and their names are the same, and the same URIs are shown in another form. */
function cacheLast<E extends Entry, R>(
  make: (entries: readonly E[], resources: ResourceIndex) => R,
): (entries: readonly E[], resources: ResourceIndex, narrow: NarrowNames | undefined) => R {
  let last: CachedLists<E, R> | undefined;
  return (entries, resources, narrow) => {
    const { contestedKey: key } = resources;
    const names = narrow === undefined ? [] : entries.map(({ name }) => narrow.narrow.get(name));
    const isSame =
      last !== undefined && last.key === key && sameElements(last.entries, entries) && sameElements(last.names, names);
    if (last === undefined || !isSame) last = { entries, names, key, result: make(entries, resources) };
    return last.result;
  };
}

function difference(before: Lists, after: Lists): CatalogChange {
  return {
    tools: before.tools !== after.tools,
    prompts: before.prompts !== after.prompts,
    resources:
      !sameElements(before.resources.resources, after.resources.resources) ||
      !sameElements(before.resources.templates, after.resources.templates) ||
      !sameElements(before.resources.skills, after.resources.skills),
  };
}

function findCompletion(lists: Lists, request: CompletionRequest): FoundCompletion | undefined {
  const { ref } = request;
  if (ref.type === "ref/resource") {
    const found = findTemplate(lists.resources, ref.uri) ?? lists.resources.find(ref.uri);
    return found && completionOf(found.source, { ...request, ref: { ...ref, uri: found.uri } });
  }
  const entry = lists.prompts.find(ref.name);
  return entry && completionOf(entry.source, { ...request, ref: { ...ref, name: entry.prompt.name } });
}

/** In the form shown here, or as its source writes it if only one has it. */
function findTemplate(resources: ResourceIndex, uri: string): FoundResource | undefined {
  const shown = resources.findTemplate(uri);
  if (shown) return shown;
  const forms = resources.templateForms(uri);
  if (forms.length > 1) {
    const listed = forms.map((form) => quoted(form)).join(", ");
    throw new Fault(
      "bad-params",
      `Several servers have the template ${quoted(uri)}. Use the one that is listed: ${listed}.`,
    );
  }
  return forms[0] === undefined ? undefined : resources.findTemplate(forms[0]);
}

function completionOf(source: ListedSource, request: CompletionRequest): FoundCompletion | undefined {
  return "complete" in source ? { source, request } : undefined;
}
