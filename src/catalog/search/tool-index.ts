import MiniSearch from "minisearch";
import { type QueryPart, readQuery } from "./read-query.ts";
import { createSpeller, type Speller } from "./spelling.ts";
import { groupsOf, thesaurusWords } from "./thesaurus.ts";
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
  /** The part of the query that it answers to, from 0 to 1: of its words, or of its words and what they come down to. */
  readonly fit: number;
}

/** Whether a search may return the tool of this name. */
export type Accepts = (name: string) => boolean;

/** Answers a search over the whole catalog from memory. */
export interface ToolIndex {
  add(tool: SearchedTool): void;
  remove(name: string): void;
  /** Several phrasings of one wish are several chances: a tool counts by its best places. */
  search(phrasings: readonly string[], limit: number, accepts?: Accepts): readonly FoundTool[];
  /** The tools that answer to one phrasing, the best first. It pauses often, so that others get their turn. */
  rank(phrasing: string, accepts?: Accepts): Generator<undefined, readonly FoundTool[]>;
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

export function createToolIndex(tools: readonly SearchedTool[] = []): ToolIndex {
  const index = new MiniSearch<Entry>({
    fields: Object.keys(boost),
    tokenize: splitWords,
    processTerm: (word) => (isStopWord(word) ? null : termsOf(word)),
  });
  const names = new Map<number, string>();
  const kept = new Map<string, { readonly id: number; readonly tool: SearchedTool }>();
  /** How often each word occurs. */
  const known = new Map<string, number>();
  /** Common words are in most queries and in most tools, so they cost the most. */
  const termScores = new Map<string, TermScores>();
  let speller: Speller | undefined;
  let nextId = 0;
  for (const tool of tools) add(tool);

  return { add, remove, search, rank };

  function add(tool: SearchedTool): void {
    remove(tool.name);
    const id = nextId++;
    index.add(entryOf(tool, id));
    names.set(id, tool.name);
    kept.set(tool.name, { id, tool });
    count(tool, 1);
  }

  function remove(name: string): void {
    const found = kept.get(name);
    if (found === undefined) return;
    index.discard(found.id);
    names.delete(found.id);
    kept.delete(name);
    count(found.tool, -1);
  }

  function count(tool: SearchedTool, by: 1 | -1): void {
    speller = undefined;
    termScores.clear();
    for (const word of spelledWords(tool)) {
      const times = (known.get(word) ?? 0) + by;
      if (times === 0) known.delete(word);
      else known.set(word, times);
    }
  }

  function search(phrasings: readonly string[], limit: number, accepts?: Accepts): readonly FoundTool[] {
    return fuseRankings(
      phrasings.slice(0, maxPhrasings).map((phrasing) => finish(rank(phrasing, accepts))),
      limit,
    );
  }

  function scoresOf(term: string): TermScores {
    const known = termScores.get(term);
    if (known !== undefined) return known;
    const results = index.search(term, asItIs);
    const made = {
      ids: Uint32Array.from(results, ({ id }) => id as number),
      values: Float32Array.from(results, ({ score }) => score),
    };
    if (termScores.size >= mostKeptTerms) termScores.delete(termScores.keys().next().value!);
    termScores.set(term, made);
    return made;
  }

  /** Each word of the query counts once, by the best of its meanings; tools that answer to more of the words come first. */
  function* rank(phrasing: string, accepts?: Accepts): Generator<undefined, readonly FoundTool[]> {
    speller ??= createSpeller(new Map([...Array.from(thesaurusWords(), (word) => [word, 1] as const), ...known]));
    const parts = yield* readQuery(phrasing, speller);
    const whole = sumOf(parts);
    const wholeOwn = sumOf(parts.filter(({ isOwn }) => isOwn));
    const scores = new Map<number, number>();
    const covered = new Map<number, number>();
    const coveredOwn = new Map<number, number>();
    for (const { meanings, weight: ofPart, isOwn } of parts) {
      const best = new Map<number, number>();
      for (const [term, weight] of meanings) {
        const { ids, values } = scoresOf(term);
        for (const [place, id] of ids.entries()) {
          const score = values[place]! * weight;
          if (score > (best.get(id) ?? 0)) best.set(id, score);
        }
        yield;
      }
      for (const [id, score] of best) {
        scores.set(id, (scores.get(id) ?? 0) + score * ofPart);
        covered.set(id, (covered.get(id) ?? 0) + ofPart);
        if (isOwn) coveredOwn.set(id, (coveredOwn.get(id) ?? 0) + ofPart);
      }
    }
    const found: FoundTool[] = [];
    for (const [id, score] of scores) {
      const name = names.get(id);
      if (name === undefined || accepts?.(name) === false) continue;
      const part = covered.get(id)! / whole;
      const ownPart = (coveredOwn.get(id) ?? 0) / wholeOwn;
      found.push({ name, score: score * part ** coverage, fit: Math.max(part, ownPart || 0) });
    }
    return found.sort((a, b) => b.score - a.score).slice(0, mostRanked);
  }
}

const asItIs = { processTerm: (same: string) => same, tokenize: (same: string) => [same], boost };

function sumOf(parts: readonly QueryPart[]): number {
  return parts.reduce((sum, { weight }) => sum + weight, 0);
}

/** Runs a search to its end without a pause. */
function finish<T>(steps: Generator<undefined, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** One ranking of several (reciprocal rank fusion): only the places count, since the scores of two can't be compared. */
export function fuseRankings(
  rankings: readonly (readonly Pick<FoundTool, "name" | "fit">[])[],
  limit: number,
): readonly FoundTool[] {
  const fused = new Map<string, FoundTool>();
  for (const ranking of rankings) {
    for (const [place, { name, fit }] of ranking.entries()) {
      const known = fused.get(name) ?? { name, score: 0, fit: 0 };
      fused.set(name, { name, score: known.score + 1 / (10 + place), fit: Math.max(known.fit, fit) });
    }
  }
  return [...fused.values()].sort((a, b) => b.score - a.score).slice(0, limit);
}

/** How much a tool gains that answers to more of the query's words. */
const coverage = 0.5;
/** How many places a ranking has. */
const mostRanked = 50;
interface TermScores {
  readonly ids: Uint32Array;
  readonly values: Float32Array;
}

/** At most 80 KB each with 10,000 tools. */
const mostKeptTerms = 100;

/** What a query may hold at most. */
export const maxPhrasings = 5;

function termsOf(word: string): string[] {
  const stem = stemWord(word);
  return [stem, ...groupsOf(stem)];
}

function entryOf(tool: SearchedTool, id: number): Entry {
  const description = textOf(tool.description);
  const end = description.search(/[.\n]\s/);
  const summary = end === -1 ? description.slice(0, 200) : description.slice(0, Math.min(end, 300));
  return {
    id,
    name: tool.name.startsWith(`${tool.source}__`) ? tool.name.slice(tool.source.length + 2) : tool.name,
    source: tool.source,
    title: textOf(tool.title),
    summary,
    description: description.slice(0, 2000),
    parameters: parameterNames(tool.inputSchema),
  };
}

function parameterNames(schema: SearchedTool["inputSchema"]): string {
  const properties = schema?.properties;
  return typeof properties === "object" && properties !== null ? Object.keys(properties).slice(0, 50).join(" ") : "";
}

/** The words that a misspelled one may have been meant to be. */
function spelledWords(tool: SearchedTool): string[] {
  return splitWords(`${tool.name} ${textOf(tool.title)} ${textOf(tool.description).slice(0, 2000)}`);
}

/** A server may send anything. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
