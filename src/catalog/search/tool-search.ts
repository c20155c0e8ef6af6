import type { CatalogTool } from "../source.ts";
import type { ToolVectors } from "./tool-vectors.ts";
import { type Accepts, createToolIndex, type FoundTool, fuseRankings, maxPhrasings } from "./tool-index.ts";
import { serverOf } from "./server-of.ts";
import { createTurns, inSlices } from "../../core/slices/in-slices.ts";

export interface ToolSearchOptions {
  /** The tools as they are now: the same array until they change. */
  tools(): readonly CatalogTool[];
  /** What an embedding model makes of the tools, if the owner names one. */
  readonly vectors?: ToolVectors | undefined;
}

export interface SearchAnswer {
  readonly tools: readonly FoundTool[];
  /** Whether the first of them answers to most of what was asked for. */
  readonly isSure: boolean;
}

/** A search over live tools. The index is made for the first search and follows the tools from then on. */
export interface ToolSearch {
  search(phrasings: readonly string[], limit: number, accepts?: Accepts): Promise<SearchAnswer>;
  /** Makes the index now, in the background, so that the first search need not wait for it. */
  prepare(): void;
}

/** Below this part of the query's words, the best tool is a guess. */
const sureFit = 0.6;

export function createToolSearch({ tools, vectors }: ToolSearchOptions): ToolSearch {
  const index = createToolIndex();
  let indexed = new Map<string, CatalogTool>();
  let seen: readonly CatalogTool[] | undefined;
  let updating: Promise<void> = Promise.resolve();

  return {
    async search(phrasings, limit, accepts) {
      await update();
      const asked = phrasings.slice(0, maxPhrasings);
      const byMeaning = vectors?.rank(asked, accepts);
      const rankings: (readonly Pick<FoundTool, "name" | "fit">[])[] = [];
      for (const phrasing of asked) rankings.push(await inSlices(index.rank(phrasing, accepts)));
      rankings.push(...((await byMeaning) ?? []));
      const found = fuseRankings(rankings, limit);
      return { tools: found, isSure: (found[0]?.fit ?? 0) >= sureFit };
    },
    // A failure is reported by the search that needs it.
    prepare: () => void update().catch(() => {}),
  };

  /** One after the other, each up to the tools as they are when it begins. */
  function update(): Promise<void> {
    return (updating = updating.catch(() => {}).then(catchUp));
  }

  async function catchUp(): Promise<void> {
    const now = tools();
    if (now === seen) return;
    const turns = createTurns();
    const next = new Map(now.map((entry) => [entry.name, entry]));
    for (const [name, entry] of indexed) {
      if (next.get(name) === entry) continue;
      index.remove(name);
      if (turns.isOver()) await turns.next();
    }
    for (const [name, entry] of next) {
      if (indexed.get(name) === entry) continue;
      index.add({ ...entry.definition, name, source: serverOf(entry), title: titleOf(entry) });
      if (turns.isOver()) await turns.next();
    }
    indexed = next;
    seen = now;
    vectors?.follow(now);
  }
}

function titleOf({ definition }: CatalogTool): string | undefined {
  return definition.title ?? definition.annotations?.title;
}
