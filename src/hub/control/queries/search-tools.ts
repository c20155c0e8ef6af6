import type { Catalog } from "../../../catalog/catalog.ts";
import { createToolSearch, type ToolSearch } from "../../../catalog/search/tool-search.ts";
import type { CatalogTool } from "../../../catalog/source.ts";
import type { ToolAnnotations } from "../../../mcp/messages/tool.ts";
import { estimateDefinition } from "../../../core/estimate-tokens.ts";
import { type HubContext, perHub } from "../contexts.ts";
import type { Input } from "../input.ts";
import type { toolQuery } from "../verbs/servers.ts";

type ToolQuery = Input<typeof toolQuery>;

/** A tool in a list. `tools.find` has its schema. */
export interface ToolRow {
  readonly name: string;
  readonly source: string;
  readonly title?: string;
  /** Cut to its first sentence or 300 characters. */
  readonly description: string;
  readonly annotations?: ToolAnnotations | undefined;
  /** What its definition costs a model, estimated. */
  readonly tokens: number;
}

export interface ToolPage {
  readonly total: number;
  readonly tools: readonly ToolRow[];
  /** None has all of the words: these come closest. */
  readonly isClosest?: true;
}

const maxRows = 200;
const maxDescriptionLength = 300;

const toolSearch = perHub(async ({ engine }) => createToolSearch({ tools: () => engine.catalog.tools() }));

/** A page of the tools, by name; with words, those that have all of them, the best first. */
export async function searchTools(hub: HubContext, query: ToolQuery): Promise<ToolPage> {
  const { catalog } = hub.engine;
  const page = findByWords(catalog, query);
  const isAnswer = page.total > 0 || query.closest !== true || !query.query;
  return isAnswer ? page : findClosest(catalog, await toolSearch.of(hub), query);
}

function findByWords(catalog: Pick<Catalog, "tools">, query: ToolQuery): ToolPage {
  const { source, offset = 0 } = query;
  const limit = Math.min(query.limit ?? 50, maxRows);
  const words = (query.query ?? "").slice(0, 200).toLowerCase().split(/\s+/).filter(Boolean);
  const all = source === undefined ? catalog.tools() : catalog.tools().filter((tool) => tool.source.id === source);
  const found =
    words.length === 0
      ? all.toSorted(byName)
      : all
          .map((tool) => ({ tool, score: scoreOf(tool, words) }))
          .filter(({ score }) => score > 0)
          .toSorted((a, b) => b.score - a.score || byName(a.tool, b.tool))
          .map(({ tool }) => tool);
  return { total: found.length, tools: found.slice(offset, offset + limit).map(rowOf) };
}

const maxFound = 10;

/** The tools whose meaning comes closest to the words, as a model would find them. */
async function findClosest(
  catalog: Pick<Catalog, "find">,
  search: ToolSearch,
  { query = "", source, limit = maxFound }: ToolQuery,
): Promise<ToolPage> {
  const isOfSource = (name: string) => source === undefined || catalog.find(name)?.source.id === source;
  const { tools } = await search.search([query.slice(0, 200)], Math.min(limit, maxFound), isOfSource);
  const found = tools.flatMap(({ name }) => catalog.find(name) ?? []);
  return { total: found.length, tools: found.map(rowOf), isClosest: true };
}

function byName(a: CatalogTool, b: CatalogTool): number {
  return a.name < b.name ? -1 : Number(a.name > b.name);
}

/** 0 if a word is nowhere. A word in the name counts more than one in the description. */
function scoreOf({ name, source, tool }: CatalogTool, words: readonly string[]): number {
  const own = name.toLowerCase();
  const title = `${tool.title ?? tool.annotations?.title ?? ""}\n${source.id}`.toLowerCase();
  const text = (tool.description ?? "").toLowerCase();
  let score = 0;
  for (const word of words) {
    if (own === word) score += 100;
    else if (own.includes(word)) score += 10;
    else if (title.includes(word)) score += 5;
    else if (text.includes(word)) score += 1;
    else return 0;
  }
  return score;
}

function rowOf({ name, source, tool, definition }: CatalogTool): ToolRow {
  const { title, description = "", annotations } = tool;
  return {
    name,
    source: source.id,
    ...(title !== undefined && { title }),
    description: shorten(description),
    ...(annotations !== undefined && { annotations }),
    tokens: estimateDefinition(definition),
  };
}

function shorten(text: string): string {
  const [first = ""] = /^[^]*?[.!?](?=\s|$)/.exec(text) ?? [text];
  return first.length <= maxDescriptionLength ? first : `${first.slice(0, maxDescriptionLength - 1)}…`;
}
