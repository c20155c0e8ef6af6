import MiniSearch from "minisearch";
import { conceptWords, conceptsOf } from "./concepts.ts";
import { createSpeller } from "./spelling.ts";
import type { Speller } from "./spelling.ts";
import { isStopWord, splitWords, stemWord } from "./words.ts";

/** What of a tool is searched. */
export interface SearchedTool {
  readonly name: string;
  readonly source: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema?: { readonly properties?: unknown } | undefined;
}

export interface FoundTool {
  readonly name: string;
  readonly score: number;
}

/** Answers a search over the whole catalog from memory. */
export interface ToolIndex {
  /** Several phrasings of one wish are several chances: a tool counts by its best places. */
  search(phrasings: readonly string[], limit: number): readonly FoundTool[];
}

interface Entry {
  readonly id: number;
  readonly name: string;
  readonly source: string;
  readonly title: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters: string;
}

const boost = { name: 4, title: 2, source: 2, summary: 2, description: 0.6, parameters: 0.5 };

export function createToolIndex(tools: readonly SearchedTool[]): ToolIndex {
  const index = new MiniSearch<Entry>({
    fields: Object.keys(boost),
    tokenize: splitWords,
    processTerm: (word) => (isStopWord(word) ? null : termsOf(word)),
  });
  index.addAll(tools.map(entryOf));
  const speller = createSpeller(knownWords(tools));

  return {
    search(phrasings, limit) {
      const scores = new Map<string, number>();
      for (const phrasing of phrasings.slice(0, maxPhrasings)) {
        for (const [place, { name }] of rank(phrasing).entries())
          scores.set(name, (scores.get(name) ?? 0) + 1 / (10 + place));
      }
      return [...scores]
        .map(([name, score]) => ({ name, score }))
        .sort((a, b) => b.score - a.score)
        .slice(0, limit);
    },
  };

  /** Each word of the query counts once, by the best of its meanings; tools that answer to more of the words come first. */
  function rank(phrasing: string): FoundTool[] {
    const words = meaningsOf(phrasing, speller);
    const scores = new Float64Array(tools.length);
    const covered = new Float64Array(tools.length);
    for (const meanings of words) {
      const best = new Map<number, number>();
      for (const [term, weight] of meanings) {
        for (const { id, score } of index.search(term, {
          processTerm: (same) => same,
          tokenize: (same) => [same],
          boost,
        }))
          best.set(id as number, Math.max(best.get(id as number) ?? 0, score * weight));
      }
      for (const [id, score] of best) {
        scores[id]! += score;
        covered[id]! += 1;
      }
    }
    return [...scores.keys()]
      .filter((id) => scores[id]! > 0)
      .map((id) => ({ name: tools[id]!.name, score: scores[id]! * (covered[id]! / words.length) ** coverage }))
      .sort((a, b) => b.score - a.score)
      .slice(0, 50);
  }
}

/** A word itself says more than another word for the same thing. */
const conceptWeight = 0.7;
/** How much a tool gains that answers to more of the query's words. */
const coverage = 0.5;
/** Phrasings, and words of each: what a query may hold at most. */
const maxPhrasings = 5;
const maxWords = 40;

/** For each word of a query the terms it may stand for, with their weights. */
function meaningsOf(phrasing: string, speller: Speller): Map<string, number>[] {
  const words = splitWords(phrasing.slice(0, 2000));
  const meant = words.filter((word) => !isStopWord(word));
  return (meant.length > 0 ? meant : words).slice(0, maxWords).flatMap((word) => {
    const forms = speller.correct(word);
    if (forms.length === 0) return [];
    const meanings = new Map<string, number>();
    const add = (term: string, weight: number): void => {
      meanings.set(term, Math.max(meanings.get(term) ?? 0, weight));
    };
    for (const form of forms) {
      const stem = stemWord(form);
      const sure = form === word ? 1 : 0.8;
      add(stem, sure);
      for (const concept of conceptsOf(stem)) add(concept, sure * conceptWeight);
    }
    return [meanings];
  });
}

function termsOf(word: string): string[] {
  const stem = stemWord(word);
  return [stem, ...conceptsOf(stem)];
}

function entryOf(tool: SearchedTool, id: number): Entry {
  const description = tool.description ?? "";
  const end = description.search(/[.\n]\s/);
  const summary = end === -1 ? description.slice(0, 200) : description.slice(0, Math.min(end, 300));
  return {
    id,
    name: tool.name.startsWith(`${tool.source}__`) ? tool.name.slice(tool.source.length + 2) : tool.name,
    source: tool.source,
    title: tool.title ?? "",
    summary,
    description: description.slice(0, 2000),
    parameters: parameterNames(tool.inputSchema),
  };
}

function parameterNames(schema: SearchedTool["inputSchema"]): string {
  const properties = schema?.properties;
  return typeof properties === "object" && properties !== null ? Object.keys(properties).slice(0, 50).join(" ") : "";
}

function knownWords(tools: readonly SearchedTool[]): Map<string, number> {
  const known = new Map<string, number>();
  for (const word of conceptWords()) known.set(word, 1);
  for (const tool of tools)
    for (const word of splitWords(`${tool.name} ${tool.title ?? ""} ${(tool.description ?? "").slice(0, 2000)}`))
      known.set(word, (known.get(word) ?? 0) + 1);
  return known;
}
