import { Fault } from "../core/fault.ts";
import { type Log, silentLog } from "../core/log.ts";
import { quoted } from "../core/text/peer-text.ts";
import type { Prompt } from "../mcp/messages/resources-and-prompts.ts";
import type { Tool } from "../mcp/messages/tool.ts";
import { compileGlobs } from "./glob.ts";
import { createSourceMerger } from "./merge-sources.ts";
import { createPatternReport, type NamePatterns } from "./unmatched-patterns.ts";
import { contestedPrefixes, narrowNames, type NarrowNames } from "./names.ts";
import { memoized } from "./memoized.ts";
import { indexResources } from "./resources/resource-index.ts";
import {
  type CatalogPrompt,
  type CatalogTool,
  type ListedSource,
  renamed,
  type Source,
  type Unsubscribe,
} from "./source.ts";
import { isMeant, type PatternSubject } from "./tool-pattern.ts";
import {
  type CatalogChange,
  type CatalogState,
  createView,
  type View,
  type ViewFilter,
  type ViewOptions,
} from "./view.ts";

export interface CatalogFilter {
  /** Globs on names of tools and prompts. If there are any, only what they mean is shown. */
  readonly include?: readonly string[] | undefined;
  /** Globs on names of tools and prompts. What they mean is hidden, whatever `include` says. */
  readonly exclude?: readonly string[] | undefined;
}

export interface CatalogOptions extends CatalogFilter {
  /** Checks what a source lists before it is shown. Without it everything is shown as it is listed. */
  readonly screen?: ((source: Source) => Source) | undefined;
  readonly log?: Log | undefined;
}

/** One live list of everything all sources offer, ordered by source id, then as the source orders it. */
export interface Catalog {
  /** Faults with `conflict` if the catalog already has a source with this id. */
  add(source: Source): Unsubscribe;
  /** Removes the source, but does not close it. */
  remove(id: string): void;
  sources(): readonly ListedSource[];
  /** Replaces the filter, from now on. */
  setFilter(filter: CatalogFilter): void;
  /** Logs patterns that mean a tool by a name that they are not compared with. */
  watchPatterns(patterns: NamePatterns): void;
  tools(): readonly CatalogTool[];
  find(name: string): CatalogTool | undefined;
  /** A live view. It caches its lists, so make one per endpoint and keep it. */
  view(filter: ViewFilter, options?: ViewOptions): View;
  /** Calls the listener once per burst of changes, after the burst. */
  onChange(listener: (change: CatalogChange) => void): Unsubscribe;
  /** Removes all sources and all listeners. */
  close(): void;
}

export function createCatalog(options: CatalogOptions = {}): Catalog {
  const { include, exclude, screen = (source) => source, log = silentLog } = options;
  const naming: Naming = {
    shortNameOf: (name) => current().narrowTools().narrow.get(name) ?? name,
    sharesPrefix: ({ kind, prefix = "" }) => isConfigured({ kind }) && current().sharedPrefixes().has(prefix),
  };
  let merge = createMergers(filterOf(include, exclude), naming);
  const held = new Map<string, { readonly source: Source; readonly release: Unsubscribe }>();
  const listeners = new Set<() => void>();
  let state: CatalogState | undefined;
  const narrowTools = cacheNarrowNames();
  const narrowPrompts = cacheNarrowNames();
  let notice: NodeJS.Immediate | undefined;
  const report = createPatternReport(log);

  function current(): CatalogState {
    if (state === undefined) {
      const sources = Array.from(held.values(), ({ source }) => source).sort((a, b) => (a.id < b.id ? -1 : 1));
      const tools = merge.tools(sources);
      const prompts = merge.prompts(sources);
      state = {
        sources: new Map(sources.map((source) => [source.id, source])),
        tools,
        prompts,
        resources: indexResources(sources),
        narrowTools: memoized(() => narrowTools(tools.all, sources)),
        narrowPrompts: memoized(() => narrowPrompts(prompts.all, sources)),
        sharedPrefixes: memoized(() => sharedPrefixes(sources)),
      };
    }
    return state;
  }

  function changed(): void {
    state = undefined;
    notice ??= setImmediate(() => {
      notice = undefined;
      report.check(() => [...current().sources.values()]);
      for (const listener of listeners) notify(listener, log);
    });
  }

  function remove(id: string): void {
    held.get(id)?.release();
    if (held.delete(id)) changed();
  }

  const live = {
    state: current,
    onChange(listener: () => void): Unsubscribe {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const whole = createView("all", {}, live);

  return {
    add(source) {
      if (held.has(source.id)) {
        throw new Fault("conflict", `There is already a source named ${quoted(source.id)}. Rename one of them.`);
      }
      const shown = screen(source);
      const release = shown.onChange(changed);
      held.set(source.id, { source: shown, release });
      changed();
      return () => {
        if (held.get(source.id)?.source === shown) remove(source.id);
      };
    },
    remove,
    setFilter(filter) {
      merge = createMergers(filterOf(filter.include, filter.exclude), naming);
      changed();
    },
    watchPatterns(patterns) {
      report.watch(patterns);
      changed();
    },
    sources: () => [...current().sources.values()],
    tools: () => whole.tools(),
    find: (name) => whole.find(name),
    view: (filter, options = {}) =>
      filter === "all" && options.alphabet !== "narrow" ? whole : createView(filter, options, live),
    onChange: (listener) => whole.onChange(listener),
    close() {
      for (const { release } of held.values()) release();
      held.clear();
      listeners.clear();
      if (notice !== undefined) clearImmediate(notice);
      notice = undefined;
      state = undefined;
    },
  };
}

const noPrompts: readonly Prompt[] = [];

type NamedEntry = Pick<CatalogTool, "name" | "source">;

/** The narrow names of all entries, made again only if the entries or the prefixes have changed. */
function cacheNarrowNames() {
  let last: { entries: readonly NamedEntry[]; contested: string; names: NarrowNames } | undefined;
  return (entries: readonly NamedEntry[], sources: readonly Source[]): NarrowNames => {
    const prefixes = contestedPrefixes(sources.flatMap(({ prefix }) => prefix ?? []));
    const contested = [...prefixes].toSorted().join();
    if (last === undefined || last.entries !== entries || last.contested !== contested) {
      const isContested = ({ source }: NamedEntry) => source.prefix !== undefined && prefixes.has(source.prefix);
      const hashed = prefixes.size === 0 ? [] : entries.filter(isContested);
      const names = narrowNames(
        entries.map(({ name }) => name),
        new Set(hashed.map(({ name }) => name)),
      );
      last = { entries, contested, names };
    }
    return last.names;
  };
}

/** What is built in has no prefix, and keeps its names. */
const isConfigured = ({ kind }: Pick<Source, "kind">): boolean => kind === "server" || kind === "app";

/** The prefixes that several servers have, or a server and the apps. All apps have one prefix. */
function sharedPrefixes(sources: readonly Source[]): ReadonlySet<string> {
  const owners = new Map<string, string>();
  const shared = new Set<string>();
  for (const { id, kind, prefix = "" } of sources) {
    if (!isConfigured({ kind })) continue;
    const owner = kind === "app" ? "" : id;
    if ((owners.get(prefix) ?? owner) !== owner) shared.add(prefix);
    owners.set(prefix, owner);
  }
  return shared;
}

type Shows = (item: PatternSubject) => boolean;

/** What is known of a tool only together with all others. */
interface Naming {
  shortNameOf(name: string): string;
  sharesPrefix(source: Source): boolean;
}

function createMergers(shows: Shows, { shortNameOf, sharesPrefix }: Naming) {
  return {
    tools: createSourceMerger<Tool, CatalogTool>({
      list: (source) => source.tools(),
      listedName: (source, tool) => source.asListed?.(tool).name,
      make: (source, tool, name, aliases) => ({
        name,
        shortName: () => shortNameOf(name),
        aliases,
        sharesPrefix: () => sharesPrefix(source),
        source,
        tool,
        definition: renamed(tool, name),
      }),
      shows,
    }),
    prompts: createSourceMerger<Prompt, CatalogPrompt>({
      list: (source) => source.prompts?.() ?? noPrompts,
      make: (source, prompt, name) => ({ name, source, prompt, definition: renamed(prompt, name) }),
      shows,
    }),
  };
}

function filterOf(include: readonly string[] = [], exclude: readonly string[] = []): Shows {
  const isWhole = include.length === 0 || include.includes("*");
  if (isWhole && exclude.length === 0) return () => true;
  const included = compileGlobs(isWhole ? ["*"] : include);
  const excluded = compileGlobs(exclude);
  return (item) => isMeant(included, item) && (exclude.length === 0 || !isMeant(excluded, item));
}

/** A listener that fails must not keep the change from the others. */
function notify(listener: () => void, log: Log): void {
  try {
    listener();
  } catch (error) {
    log.error("a listener of the catalog failed", { error });
  }
}
