import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { gunzipSync } from "node:zlib";
import MiniSearch from "minisearch";
import { createToolIndex } from "../../src/catalog/search/tool-index.ts";
import type { SearchedTool } from "../../src/catalog/search/tool-index.ts";

interface Query {
  readonly kind: string;
  readonly tools: ReadonlySet<string>;
  readonly phrasings: readonly string[];
}

type Search = (query: Query) => readonly string[];

const { values } = parseArgs({
  options: { tools: { type: "string" }, queries: { type: "string" }, misses: { type: "boolean", default: false } },
});
if (values.tools === undefined) {
  console.error("Usage: npm run bench:retrieval -- --tools <definitions.jsonl[.gz]> [--queries <file>] [--misses]");
  process.exit(2);
}
const tools = readTools(values.tools);
const ours = createToolIndex(tools);
const plain = new MiniSearch<{ id: number; name: string; description: string }>({ fields: ["name", "description"] });
plain.addAll(tools.map(({ name, description }, id) => ({ id, name, description: description ?? "" })));

const searches: Readonly<Record<string, Search>> = {
  "plain MiniSearch": ({ phrasings }) => plain.search(phrasings[0]!).map(({ id }) => tools[id as number]!.name),
  "one phrasing": ({ phrasings }) => ours.search(phrasings.slice(0, 1), 10).map(({ name }) => name),
  "three phrasings": ({ phrasings }) => ours.search(phrasings, 10).map(({ name }) => name),
};
const sets = values.queries === undefined ? ownSets() : [values.queries];
for (const file of sets) measure(file, readQueries(file));

/** The sets of queries in this folder, as they were written one after the other. */
function ownSets(): string[] {
  const order = ["queries", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth"];
  const place = (name: string): number => order.findIndex((word) => name.startsWith(word));
  return readdirSync(import.meta.dirname)
    .filter((name) => name.endsWith(".txt"))
    .sort((a, b) => place(a) - place(b))
    .map((name) => path.join(import.meta.dirname, name));
}

function measure(file: string, queries: readonly Query[]): void {
  const kinds = [...new Set(queries.map(({ kind }) => kind)), "all"];
  console.log(`\n${path.basename(file)}: ${tools.length} tools, ${queries.length} queries\n`);
  console.log(["", ...kinds.map((kind) => `${kind} @5 @10`)].join(" | "));
  for (const [name, search] of Object.entries(searches)) {
    const cells = kinds.map((kind) => {
      const own = queries.filter((query) => kind === "all" || query.kind === kind);
      return [5, 10].map((most) => recall(own, search, most).toFixed(2)).join(" ");
    });
    console.log([name, ...cells].join(" | "));
  }
  if (!values.misses) return;
  for (const query of queries) {
    const found = searches["one phrasing"]!(query);
    if (!found.slice(0, 5).some((name) => query.tools.has(name)))
      console.log(
        `\n${query.kind}: ${query.phrasings[0]} -> ${[...query.tools].join(", ")}\n   ${found.slice(0, 6).join(", ")}`,
      );
  }
}

function recall(own: readonly Query[], search: Search, most: number): number {
  const hits = own.filter((query) =>
    search(query)
      .slice(0, most)
      .some((name) => query.tools.has(name)),
  );
  return hits.length / own.length;
}

function readTools(file: string): SearchedTool[] {
  const bytes = readFileSync(file);
  const text = (file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
  return text
    .trim()
    .split("\n")
    .map((line) => {
      const tool = JSON.parse(line) as SearchedTool;
      return { ...tool, source: tool.name.slice(0, tool.name.indexOf("__")) };
    });
}

function readQueries(file: string): Query[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => {
      const [kind = "", names = "", ...phrasings] = line.split(";").map((part) => part.trim());
      return { kind, tools: new Set(names.split("|").map((name) => name.trim())), phrasings };
    });
}
