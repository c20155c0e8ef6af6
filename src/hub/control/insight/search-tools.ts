import type { Catalog } from "../../../catalog/catalog.ts";
import type { ToolSearch } from "../../../catalog/search/tool-search.ts";
import type { CatalogTool } from "../../../catalog/source.ts";
import { estimateDefinition } from "../../../core/estimate-tokens.ts";
import type { ToolPage, ToolQuery, ToolRow } from "./insight-control.ts";

const mostRows = 200;
const longestDescription = 300;

/** A page of the tools, by name; with words, those that have all of them, the best first. */
export function searchTools(catalog: Pick<Catalog, "tools">, query: ToolQuery = {}): ToolPage {
  const { source, offset = 0 } = query;
  const limit = Math.min(query.limit ?? 50, mostRows);
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

const mostClosest = 10;

/** The tools whose meaning comes closest to the words, as a model would find them. */
export async function findClosest(
  catalog: Pick<Catalog, "find">,
  search: ToolSearch,
  { query = "", source, limit = mostClosest }: ToolQuery,
): Promise<ToolPage> {
  const isOfSource = (name: string) => source === undefined || catalog.find(name)?.source.id === source;
  const { tools } = await search.search([query.slice(0, 200)], Math.min(limit, mostClosest), isOfSource);
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
  return first.length <= longestDescription ? first : `${first.slice(0, longestDescription - 1)}…`;
}
