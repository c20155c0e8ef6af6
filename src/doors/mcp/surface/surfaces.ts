import { requireDoubles } from "../../../core/exact-number.ts";
import { compileGlobs, type Matcher } from "../../../catalog/glob.ts";
import { sameElements } from "../../../catalog/merge-sources.ts";
import type { ToolSearch } from "../../../catalog/search/tool-search.ts";
import { serverOf } from "../../../catalog/search/server-of.ts";
import type { CatalogTool } from "../../../catalog/source.ts";
import { isMeant } from "../../../catalog/tool-pattern.ts";
import type { View } from "../../../catalog/view.ts";
import { isRecord } from "../../../core/is-record.ts";
import type { Log } from "../../../core/log.ts";
import { quoted } from "../../../core/text/peer-text.ts";
import { errorResult, textResult, type Tool, type ToolResult } from "../../../mcp/messages/tool.ts";
import type { McpOffer, Requester, ToolOffer } from "../../../mcp/server/offer.ts";
import { type ChosenSurface, chooseSurface, type ListSize, type SurfaceSetting } from "./choose-surface.ts";
import { unknownToolHint } from "./suggest-tools.ts";
import { definitionText, facetsOf, searchAnswerText } from "./search-answer.ts";
import {
  callTool,
  defaultResults,
  describeToolDefinition,
  searchToolsDefinition,
  surfaceTools,
} from "./search-definitions.ts";
import { type ClientSurface, createSurfaceRecord, type GivenSurface } from "./surface-record.ts";

export interface SurfaceSettings {
  /** For clients whose token or address does not choose. */
  readonly setting: SurfaceSetting;
  /** Globs on names of tools that the search surface lists beside its own. */
  readonly always: readonly string[];
  /** Names of tools that only the search surface lists. */
  readonly onlySearched?: readonly string[] | undefined;
}

export interface SurfacesOptions extends SurfaceSettings {
  /** Opened with the first search: most processes never need it. */
  openSearch(): Promise<ToolSearch>;
  readonly log: Log;
  /** Called when a client gets another surface than before. */
  onGiven?(given: GivenSurface): void;
}

/** Which surface each client of a door gets, and what it has got. */
export interface Surfaces {
  /** The same offer, as the surface of each client shows it. */
  wrap(offer: McpOffer, view: View, setting?: SurfaceSetting): McpOffer;
  /** The answer of `search_tools` for this view. */
  search(view: View, query: unknown, limit: unknown): Promise<ToolResult>;
  /** What clients were given, the latest first. */
  given(): readonly ClientSurface[];
  /** Notes what a client of another process got, which relays to this one. */
  noteRelayed(given: GivenSurface): void;
  /** From now on these settings apply, to live clients too. */
  change(settings: SurfaceSettings): void;
}

export function createSurfaces({ openSearch, log, onGiven, ...settings }: SurfacesOptions): Surfaces {
  const record = createSurfaceRecord(log, onGiven);
  const listeners = new Set<() => void>();
  let usual = settings.setting;
  let isAlways = compileGlobs(settings.always);
  let { onlySearched = [] } = settings;
  let opening: Promise<ToolSearch> | undefined;
  const search = (): Promise<ToolSearch> =>
    (opening ??= openSearch().catch((error: unknown) => {
      // An update of the package may have replaced what is loaded here.
      opening = undefined;
      throw error;
    }));

  return {
    given: () => record.list(),
    search: (view, query, limit) => searchFor({ query, limit }, { view, findable: () => findableIn(view) }),
    noteRelayed: record.noteRelayed,
    wrap,
    change({ setting, always, onlySearched: hidden = [] }) {
      usual = setting;
      onlySearched = hidden;
      isAlways = compileGlobs(always);
      for (const listener of listeners) listener();
    },
  };

  function wrap(offer: McpOffer, view: View, given?: SurfaceSetting): McpOffer {
    const { tools } = offer;
    if (tools === undefined) return offer;
    const sizeOf = cacheSize();
    const full = cacheWithout();
    const listed = cacheListed((isNamed) => ({ name }) => {
      const entry = view.find(name);
      // What the view does not know are tools of the door itself.
      return entry === undefined || isMeant(isNamed, entry);
    });
    const choose = ({ client }: Requester): ChosenSurface => {
      const chosen = chooseSurface(given ?? usual, client.name, sizeOf(view.definitions()));
      const isChosenElsewhere = given !== undefined && given !== "auto";
      return isChosenElsewhere ? { ...chosen, why: "its token or address says so" } : chosen;
    };
    // What is listed anyway need not be found.
    const findable = () => findableIn(view);
    const isSearched = (requester: Requester): boolean => choose(requester).surface === "search";

    const shown: ToolOffer = {
      ...tools,
      differs: true,
      list(requester) {
        const chosen = choose(requester);
        if (!isRelay(requester, given)) record.note(requester, chosen, given);
        if (chosen.surface === "full") return full(tools.list(requester), onlySearched);
        // Its user is likely to search soon.
        search().then(
          ({ prepare }) => prepare(),
          (error: unknown) => log.warn("the tools can't be searched", { error }),
        );
        return listed(tools.list(requester), isAlways);
      },
      find(name, requester) {
        const own = ownTools.get(name);
        if (own === undefined || (given ?? usual) === "full") return tools.find(name, requester);
        // A client that was given these tools may still call them when the list has become short.
        return isSearched(requester) ? own : (tools.find(name, requester) ?? own);
      },
      innerCall({ name, arguments: args }, requester) {
        if (name !== callTool.name || !isRecord(args) || typeof args.name !== "string") return undefined;
        const { name: inner, arguments: given, ...others } = args;
        const innerArgs = given ?? {};
        // Anything else was meant for the inner tool, which would run without it.
        if (!isRecord(innerArgs) || Object.keys(others).length > 0) return undefined;
        return shown.find(name, requester) === callTool ? { name: inner, arguments: innerArgs } : undefined;
      },
      // The search names tools of servers, so theirs come first.
      findInner: (name, requester) => tools.find(name, requester) ?? ownTools.get(name),
      hintFor: (name) => unknownToolHint(name, view.tools()),
      call(tool, args, request) {
        if (tool === searchToolsDefinition) return searchFor(requireDoubles(args) as Args, { view, offer, findable });
        if (tool === describeToolDefinition) return describe(args, view, offer);
        if (tool === callTool) return refuseCall(args);
        return tools.call(tool, args, request);
      },
    };
    return {
      ...offer,
      tools: shown,
      onChange(listener) {
        const onSettings = () => listener("tools");
        listeners.add(onSettings);
        const stop = offer.onChange?.(listener);
        return () => {
          listeners.delete(onSettings);
          stop?.();
        };
      },
      instructions: (requester) =>
        isSearched(requester) ? searchInstructions(view, findable()) : offer.instructions?.(requester),
    };
  }

  function findableIn(view: View): readonly CatalogTool[] {
    return view.tools().filter((tool) => !isMeant(isAlways, tool));
  }

  async function searchFor({ query, limit }: Args, { view, offer, findable }: Searched): Promise<ToolResult> {
    const phrasings = [query].flat().filter((each) => typeof each === "string" && each.trim() !== "") as string[];
    if (phrasings.length === 0) return errorResult('"query" is empty. Say what the tool should do.');
    await offer?.arriving?.();
    const most = typeof limit === "number" ? limit : defaultResults;
    const { tools, isSure } = await (await search()).search(phrasings, most, (name) => view.find(name) !== undefined);
    const found = tools.flatMap(({ name }) => view.find(name) ?? []);
    return textResult(searchAnswerText(found, isSure ? undefined : facetsOf(found, findable())));
  }
}

type Args = Readonly<Record<string, unknown>>;

interface Searched {
  readonly view: View;
  readonly offer?: McpOffer;
  /** The tools that are not listed beside the search. */
  findable(): readonly CatalogTool[];
}

const ownTools: ReadonlyMap<string, Tool> = new Map(surfaceTools.map((tool) => [tool.name, tool]));

/** A relay with the token of its client reads the whole list, and reports what that client gets. */
function isRelay({ client }: Requester, given: SurfaceSetting | undefined): boolean {
  return given === "full" && client.name === "clawport";
}

/** Why a call of `call_tool` stands for no other. */
function refuseCall({ name: _name, arguments: _args, ...others }: Args): ToolResult {
  const [first] = Object.keys(others);
  return errorResult(
    first === undefined
      ? "call_tool can't call itself. Give the name of another tool."
      : `Put the arguments of the tool into "arguments": ${quoted(first, 60)} is beside it.`,
  );
}

async function describe({ name, as }: Args, view: View, offer: McpOffer): Promise<ToolResult> {
  const asked = String(name);
  if (view.find(asked) === undefined) await offer.arriving?.(asked);
  const entry = view.find(asked);
  if (entry !== undefined && as === "typescript") {
    const { described } = await import("../../../scripts/declaration.ts");
    return textResult(described(entry));
  }
  if (entry !== undefined) return textResult(definitionText(entry.definition));
  return errorResult(`Unknown tool: ${quoted(asked, 100)}. ${unknownToolHint(asked, view.tools())}`);
}

/** Says what can be found: a model does not search for what it does not expect. */
function searchInstructions(view: View, findable: readonly CatalogTool[]): string {
  const servers = [...new Set(findable.map(serverOf))];
  const names = servers.join(", ");
  const shown = names.length <= maxNamesLength ? names : `${names.slice(0, maxNamesLength).replace(/[^,]*$/, "")} …`;
  const head = `Tools of these servers are found with search_tools and called with call_tool: ${shown}.`;
  const rest = view.instructions(instructionBytes - Buffer.byteLength(head) - 2);
  return rest === undefined ? head : `${head}\n\n${rest}`;
}

/** Some clients cut longer instructions. */
const instructionBytes = 2048;
const maxNamesLength = 600;

/** The size of the last list that was asked about. */
function cacheSize(): (definitions: readonly Tool[]) => ListSize {
  let last: readonly Tool[] | undefined;
  let size: ListSize;
  return (definitions) => {
    if (definitions !== last) {
      // Only a short list has to be measured.
      const bytes = definitions.length > 60 ? Infinity : Buffer.byteLength(JSON.stringify(definitions));
      last = definitions;
      size = { tools: definitions.length, bytes };
    }
    return size;
  };
}

/** A list without tools of these names: the same array for the same list. */
function cacheWithout() {
  let last: { readonly list: readonly Tool[]; readonly names: readonly string[]; readonly left: readonly Tool[] };
  return (list: readonly Tool[], names: readonly string[]): readonly Tool[] => {
    if (names.length === 0) return list;
    if (last?.list !== list || last.names !== names)
      last = { list, names, left: list.filter(({ name }) => !names.includes(name)) };
    return last.left;
  };
}

/** The list of the search surface: the same array while what is always listed is the same. */
function cacheListed(judge: (isNamed: Matcher) => (tool: Tool) => boolean) {
  let last: readonly Tool[] | undefined;
  let lastNamed: Matcher | undefined;
  let listed: readonly Tool[] = surfaceTools;
  return (all: readonly Tool[], isNamed: Matcher): readonly Tool[] => {
    if (all !== last || isNamed !== lastNamed) {
      last = all;
      lastNamed = isNamed;
      const isListed = judge(isNamed);
      const now = [...surfaceTools, ...all.filter((tool) => !ownTools.has(tool.name) && isListed(tool))];
      if (!sameElements(now, listed)) listed = now;
    }
    return listed;
  };
}
