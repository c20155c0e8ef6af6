import { atOnce } from "../../core/slices/in-slices.ts";
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

const boost = { name: 4, title: 2, source: 3, summary: 2, description: 0.6, parameters: 0.5 };

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
  /** What the tools' words stand for. */
  let terms: ReadonlySet<string> | undefined;
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
    terms = undefined;
    termScores.clear();
    for (const word of spelledWords(tool)) {
      const times = (known.get(word) ?? 0) + by;
      if (times === 0) known.delete(word);
      else known.set(word, times);
    }
  }

  function search(phrasings: readonly string[], limit: number, accepts?: Accepts): readonly FoundTool[] {
    return fuseRankings(
      phrasings.slice(0, maxPhrasings).map((phrasing) => atOnce(rank(phrasing, accepts))),
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
    if (termScores.size >= maxKeptTerms) termScores.delete(termScores.keys().next().value!);
    termScores.set(term, made);
    return made;
  }

  /** The words of a query are ranked, and each goal that it comes down to; a tool's score is the sum. */
  function* rank(phrasing: string, accepts?: Accepts): Generator<undefined, readonly FoundTool[]> {
    speller ??= createSpeller(new Map([...Array.from(thesaurusWords(), (word) => [word, 1] as const), ...known]));
    terms ??= new Set(known.keys().flatMap(termsOf));
    const parts = yield* readQuery(phrasing, speller, serves);
    const answers = yield* answersTo(parts);
    const own = answers.get(0);
    const found = new Map<number, { score: number; fit: number }>();
    for (const { whole, scores, covered } of answers.values()) {
      for (const [id, score] of scores) {
        const part = covered.get(id)! / whole;
        const known = found.get(id) ?? { score: 0, fit: 0 };
        // Of the words alone, or of the words and one goal.
        const ofBoth = (covered.get(id)! + (own?.covered.get(id) ?? 0)) / (whole + (own?.whole ?? 0));
        found.set(id, { score: known.score + score * part ** coverage, fit: Math.max(known.fit, ofBoth) });
      }
      yield;
    }
    return [...found]
      .map(([id, { score, fit }]) => ({ name: names.get(id) ?? "", score, fit }))
      .filter(({ name }) => name !== "" && accepts?.(name) !== false)
      .sort((a, b) => b.score - a.score)
      .slice(0, maxRanked);
  }

  function serves(word: string): number {
    const [own = "", ...groups] = termsOf(word);
    return terms!.has(own) ? 1 : groups.some((group) => terms!.has(group)) ? servedByOther : 0;
  }

  /** What the tools answer to, for the words of the query and for each goal. A part counts by the best of its meanings. */
  function* answersTo(parts: readonly QueryPart[]): Generator<undefined, ReadonlyMap<number, Answers>> {
    const answers = new Map<number, Answers>();
    const bestOf = new Map<QueryPart["meanings"], ReadonlyMap<number, number>>();
    for (const { meanings, weight, goal } of parts) {
      const best = bestOf.get(meanings) ?? (yield* bestScores(meanings));
      bestOf.set(meanings, best);
      const known = answers.get(goal) ?? { whole: 0, scores: new Map(), covered: new Map() };
      for (const [id, score] of best) {
        known.scores.set(id, (known.scores.get(id) ?? 0) + score * weight);
        known.covered.set(id, (known.covered.get(id) ?? 0) + weight);
      }
      known.whole += weight;
      answers.set(goal, known);
    }
    return answers;
  }

  function* bestScores(meanings: QueryPart["meanings"]): Generator<undefined, ReadonlyMap<number, number>> {
    const best = new Map<number, number>();
    for (const [term, weight] of meanings) {
      const { ids, values } = scoresOf(term);
      for (const [place, id] of ids.entries()) {
        const score = values[place]! * weight;
        if (score > (best.get(id) ?? 0)) best.set(id, score);
      }
      yield;
    }
    return best;
  }
}

const asItIs = { processTerm: (same: string) => same, tokenize: (same: string) => [same], boost };

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

/** How much a tool gains that answers to more of the words, or to more of a goal. */
const coverage = 0.6;
/** How many places a ranking has. */
const maxRanked = 50;
/** How well a word is served by tools that have only another word for the same. */
const servedByOther = 0.5;

/** The tools that answer to the words of a query, or to a goal, with how much of it they answer to. */
interface Answers {
  whole: number;
  readonly scores: Map<number, number>;
  readonly covered: Map<number, number>;
}

interface TermScores {
  readonly ids: Uint32Array;
  readonly values: Float32Array;
}

/** At most 80 KB each with 10,000 tools. */
const maxKeptTerms = 200;

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
