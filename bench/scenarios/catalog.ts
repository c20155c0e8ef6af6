import { type Catalog, createCatalog } from "../../src/catalog/catalog.ts";
import type { ToolSource } from "../../src/catalog/source.ts";
import { textResult, type Tool } from "../../src/mcp/messages/tool.ts";
import { type Effort, rotated, type Scenario } from "../scenario.ts";
import { digits, judge, section } from "../section.ts";
import { median, minimum } from "../statistics.ts";

interface World {
  readonly sources: readonly FakeSource[];
  readonly catalog: Catalog;
  readonly total: number;
  readonly costs: number[];
}

/** As many tools in all for the small catalog as for the large one, or the clock would be measured. */
const handled = 10_000;

/** `prepare` is not timed; what it returns is, and handles ten thousand tools. */
const jobs: readonly { readonly title: string; prepare(world: World): () => void }[] = [
  {
    title: "first list",
    prepare: ({ sources, total }) =>
      times(handled / total, () => {
        const catalog = catalogOf(sources);
        expectCount(catalog.view("all").definitions(), total);
        catalog.close();
      }),
  },
  {
    title: "list after every source changed",
    prepare: ({ sources, catalog, total }) =>
      times(handled / total, () => {
        for (const source of sources) source.change();
        expectCount(catalog.view("all").definitions(), total);
      }),
  },
  {
    title: "look-up, by names as they come off a wire",
    prepare({ catalog, total }) {
      const known = catalog.tools().map(({ name }) => Buffer.from(name));
      const names = Array.from({ length: handled }, (_, index) => known[index % total]!.toString());
      return () => {
        for (const name of names) if (catalog.find(name) === undefined) throw new Error(`lost ${name}`);
      };
    },
  },
];

export const catalogCost: Scenario = {
  name: "catalog",
  async run({ quick }: Effort) {
    const rounds = quick ? 11 : 101;
    const rows = jobs.flatMap(({ title, prepare }) => {
      const small = createWorld(1);
      const large = createWorld(100);
      for (let round = -10; round < rounds; round++) {
        for (const world of rotated([small, large], Math.abs(round))) {
          const run = prepare(world);
          const start = performance.now();
          run();
          if (round >= 0) world.costs.push(((performance.now() - start) * 1e6) / handled);
        }
      }
      return [small, large].map((world) => {
        const ratio = median(world.costs) / median(small.costs);
        const least = minimum(world.costs) / minimum(small.costs);
        const numbers = [median(world.costs), minimum(world.costs), ratio, least].map(digits);
        const bar = judge(ratio, world === large ? { atMost: 2 } : undefined);
        return [title, String(world.total), String(world.sources.length), ...numbers, ...bar];
      });
    });
    const ratios = ["÷ 100 tools (median)", "(minimum)"];
    const columns = ["job", "tools", "sources", "ns/tool (median)", "(minimum)", ...ratios, "bar", "verdict"];
    return [section({ title: "Catalog: cost per tool", notes: [`${rounds} rounds, interleaved.`], columns, rows })];
  },
};

function createWorld(count: number): World {
  const sources = Array.from({ length: count }, (_, index) => createFakeSource(`source-${index}`, 100));
  return { sources, catalog: catalogOf(sources), total: count * 100, costs: [] };
}

function times(count: number, job: () => void): () => void {
  return () => {
    for (let turn = 0; turn < count; turn++) job();
  };
}

function expectCount(list: readonly unknown[], count: number): void {
  if (list.length !== count) throw new Error(`${list.length} tools instead of ${count}`);
}

interface FakeSource extends ToolSource {
  change(): void;
}

function catalogOf(sources: readonly ToolSource[]): Catalog {
  const catalog = createCatalog();
  for (const source of sources) catalog.add(source);
  return catalog;
}

function createFakeSource(id: string, count: number): FakeSource {
  const listeners = new Set<() => void>();
  let tools = makeTools(id, count);
  return {
    id,
    kind: "server",
    prefix: id,
    tools: () => tools,
    call: async () => textResult("ok"),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    change() {
      tools = makeTools(id, count);
      for (const listener of listeners) listener();
    },
    close: async () => {},
  };
}

function makeTools(id: string, count: number): readonly Tool[] {
  const inputSchema = { type: "object", properties: { path: { type: "string" } }, required: ["path"] };
  return Array.from({ length: count }, (_, index) => ({
    name: `do_thing_${index}`,
    description: `Thing ${index} of ${id}.`,
    inputSchema,
  }));
}
