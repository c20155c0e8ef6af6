import { createHash } from "node:crypto";
import type { Log } from "../../core/log.ts";
import type { CatalogTool } from "../source.ts";
import { type EmbeddingModel, embedTexts } from "./embed-texts.ts";
import type { Accepts, FoundTool } from "./tool-index.ts";
import { createTurns } from "../../core/slices/in-slices.ts";
import { openVectorFile } from "./vector-file.ts";

export interface ToolVectorsOptions {
  readonly model: EmbeddingModel;
  /** Where the vectors are kept. */
  readonly path: string;
  readonly log: Log;
  /** How long a search waits for the model; 2 s unless given. */
  readonly patienceMs?: number | undefined;
}

/** Tools by what they mean, as an embedding model sees it. Everything that fails here leaves the search to the words. */
export interface ToolVectors {
  /** Gets the missing vectors of these tools, in the background. */
  follow(tools: readonly CatalogTool[]): void;
  /** A ranking for each phrasing; undefined if the model does not answer in time. */
  rank(phrasings: readonly string[], accepts?: Accepts): Promise<readonly (readonly Ranked[])[] | undefined>;
}

type Ranked = Pick<FoundTool, "name" | "fit">;

/** Texts of one request. */
const batchSize = 64;
const batchMs = 60_000;
const retryMs = 60_000;
const maxRanked = 50;
const maxTextLength = 2000;

export function createToolVectors({ model, path, log, patienceMs = 2000 }: ToolVectorsOptions): ToolVectors {
  const file = openVectorFile(path);
  /** The hash of each tool's text, and the texts by their hashes. */
  let wanted = new Map<string, string>();
  let texts: ReadonlyMap<string, string> = new Map();
  let embedding: Promise<void> | undefined;
  let restAt = -Infinity;

  return {
    follow(tools) {
      wanted = new Map(tools.map((tool) => [tool.name, hashOf(model.model, textOf(tool))]));
      texts = new Map(tools.map((tool) => [wanted.get(tool.name)!, textOf(tool)]));
      embedMissing();
    },
    async rank(phrasings, accepts) {
      if (performance.now() < restAt) return undefined;
      try {
        const asked = phrasings.map((phrasing) => phrasing.slice(0, maxTextLength));
        const vectors = await embedTexts(model, asked, AbortSignal.timeout(patienceMs));
        const rankings: (readonly Ranked[])[] = [];
        // The model is there again, if it was not when the tools came.
        embedMissing();
        for (const vector of vectors) rankings.push(await nearest(vector, accepts));
        return rankings;
      } catch (error) {
        noteFailure(error);
        return undefined;
      }
    },
  };

  function embedMissing(): void {
    embedding ??= embedAll()
      .catch(noteFailure)
      .finally(() => (embedding = undefined));
  }

  async function embedAll(): Promise<void> {
    for (;;) {
      const batch = [...texts].filter(([hash]) => file.get(hash) === undefined).slice(0, batchSize);
      if (batch.length === 0) break;
      const vectors = await embedTexts(
        model,
        batch.map(([, text]) => text),
        AbortSignal.timeout(batchMs),
      );
      file.add(new Map(batch.map(([hash], index) => [hash, vectors[index]!])));
    }
    if (file.size > 2 * texts.size + 1000) await file.keep(new Set(texts.keys()));
  }

  async function nearest(vector: Float32Array, accepts: Accepts | undefined): Promise<readonly Ranked[]> {
    const turns = createTurns();
    const scored: { name: string; score: number }[] = [];
    for (const [name, hash] of wanted) {
      const other = file.get(hash);
      if (other?.length !== vector.length || accepts?.(name) === false) continue;
      scored.push({ name, score: dot(vector, other) });
      if (turns.isOver()) await turns.next();
    }
    // Nearness says nothing about how many of the words a tool answers to.
    return scored
      .sort((a, b) => b.score - a.score)
      .slice(0, maxRanked)
      .map(({ name }) => ({ name, fit: 0 }));
  }

  function noteFailure(error: unknown): void {
    const isNew = performance.now() >= restAt;
    restAt = performance.now() + retryMs;
    if (isNew) log.warn("searching tools without embeddings for a minute", { error });
  }
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += a[at]! * b[at]!;
  return sum;
}

function textOf({ name, definition, source }: CatalogTool): string {
  // A server may send anything.
  const [title, description] = [definition.title, definition.description].map((text: unknown) =>
    typeof text === "string" ? text.slice(0, maxTextLength) : "",
  );
  return `${source.id}: ${name} ${title}\n${description}`.slice(0, maxTextLength);
}

function hashOf(model: string, text: string): string {
  return createHash("sha256").update(`${model}\n${text}`).digest("hex");
}
