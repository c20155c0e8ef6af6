import { setImmediate } from "node:timers/promises";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { testContext, testSource, testTool } from "../../tests/support/test-source.ts";
import { silentLog } from "../core/log.ts";
import { createCatalog } from "./catalog.ts";
import type { Source } from "./source.ts";
import type { CatalogChange } from "./view.ts";
import { reachCompletion } from "./guard/reach-source.ts";

const names = (view: { tools(): readonly { name: string }[] }) => view.tools().map((tool) => tool.name);

test("tools are ordered by source id, then as their source orders them, in whatever order sources are added", () => {
  const catalog = createCatalog();
  catalog.add(testSource({ id: "b", prefix: "b", tools: ["z", "a"] }));
  catalog.add(testSource({ id: "a", prefix: "a", tools: ["y"] }));
  expect(names(catalog)).toEqual(["a__y", "b__z", "b__a"]);
});

test("every tool of any sources can be found under either alphabet, with its source and original name", () => {
  const word = fc.oneof(
    fc.constantFrom("", "a", "A", "b", "a__b", "x.y", "x_y", "日本", "q".repeat(300)),
    fc.string({ unit: "binary", maxLength: 6 }),
  );
  const source = fc.record({
    id: word,
    kind: fc.constantFrom<Source["kind"]>("server", "app", "machine", "agent"),
    prefix: word,
    tools: fc.array(word, { maxLength: 6 }),
  });
  const sources = fc
    .uniqueArray(source, { selector: ({ id }) => id, maxLength: 6 })
    .chain((sources) => fc.tuple(fc.constant(sources), fc.shuffledSubarray(sources, { minLength: sources.length })));
  fc.assert(
    fc.property(sources, ([sources, shuffled]) => {
      const catalog = createCatalog();
      const again = createCatalog();
      for (const source of sources) catalog.add(testSource(source));
      for (const source of shuffled) again.add(testSource(source));
      const narrow = catalog.view("all", { alphabet: "narrow" });

      expect(names(again)).toEqual(names(catalog));
      const wanted = sources.flatMap(({ id, tools }) => [...new Set(tools)].map((tool) => `${id}\0${tool}`));
      const found = catalog.tools().map(({ source, tool }) => `${source.id}\0${tool.name}`);
      expect(found.toSorted()).toEqual(wanted.toSorted());
      for (const [index, entry] of catalog.tools().entries()) {
        const narrowName = narrow.definitions()[index]!.name;
        expect(narrowName).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
        for (const view of [catalog, narrow]) {
          expect(view.find(entry.name)?.tool).toBe(entry.tool);
          expect(view.find(narrowName)?.tool).toBe(entry.tool);
        }
      }
    }),
    { numRuns: 300 },
  );
});

test("a second source with the same id is refused", () => {
  const catalog = createCatalog();
  catalog.add(testSource({ id: "a" }));
  expect(() => catalog.add(testSource({ id: "a" }))).toThrow(expect.objectContaining({ code: "conflict" }));
});

test("a change in one source keeps the entries and schemas of the others the same objects", () => {
  const catalog = createCatalog();
  const one = testSource({ id: "one", prefix: "one", tools: ["a"] });
  catalog.add(one);
  const inputSchema = { type: "object", properties: {} };
  catalog.add(testSource({ id: "two", prefix: "two", tools: [testTool("a", { inputSchema })] }));
  const before = catalog.find("two__a");
  one.offer([testTool("b")]);
  expect(names(catalog)).toEqual(["one__b", "two__a"]);
  expect(catalog.find("two__a")).toBe(before);
  expect(before?.definition.inputSchema).toBe(inputSchema);
});

test("a burst of changes gives one notice, and only to the views that changed", async () => {
  const catalog = createCatalog();
  const one = testSource({ id: "one", tools: ["a"] });
  const two = testSource({ id: "two", tools: ["b"] });
  catalog.add(one);
  catalog.add(two);
  await setImmediate();
  const heard: string[] = [];
  const hear = (who: string) => (change: CatalogChange) => heard.push(`${who} ${JSON.stringify(change)}`);
  catalog.onChange(hear("all"));
  catalog.view({ source: "one" }).onChange(hear("one"));
  catalog.view({ source: "two" }).onChange(hear("two"));
  one.offer([]);
  one.offer([testTool("c")]);
  one.offer([testTool("d")]);
  expect(heard).toEqual([]);
  await setImmediate();
  const tools = JSON.stringify({ tools: true, prompts: false, resources: false });
  expect(heard).toEqual([`all ${tools}`, `one ${tools}`]);
});

test("removing a source removes its tools and its listener", async () => {
  const catalog = createCatalog();
  const source = testSource({ id: "one", tools: ["a"] });
  const remove = catalog.add(source);
  remove();
  expect(catalog.tools()).toEqual([]);
  await setImmediate();
  let notices = 0;
  catalog.onChange(() => notices++);
  source.offer([testTool("b")]);
  await setImmediate();
  expect(notices).toBe(0);
});

test("include and exclude match the name in the catalog, and the plain name of a renamed tool", () => {
  const catalog = createCatalog({ include: ["git__*", "order_openclaw"], exclude: ["*__delete*"] });
  catalog.add(testSource({ id: "git", prefix: "git", tools: ["log", "delete_branch", "delete everything"] }));
  catalog.add(testSource({ id: "agent", kind: "agent", tools: ["order_openclaw", "other"] }));
  expect(names(catalog)).toEqual(["order_openclaw", "git__log"]);
});

test("the view of one source has bare names, and each tool keeps its name in the catalog for the guard", () => {
  const catalog = createCatalog();
  catalog.add(testSource({ id: "git", prefix: "git", tools: ["log", "a/b"] }));
  catalog.add(testSource({ id: "web", prefix: "web", tools: ["get"] }));
  const view = catalog.view({ source: "git" });
  expect(view.definitions().map((tool) => tool.name)).toEqual(["log", expect.stringMatching(/^a_b_[0-9a-f]{8}$/)]);
  expect(view.find("log")?.name).toBe("git__log");
  expect(view.find("a/b")?.tool.name).toBe("a/b");
  expect(view.find("get")).toBeUndefined();
  expect(view.find("git__log")).toBeUndefined();
});

test("a view made before its source shows the tools once the source is added", () => {
  const catalog = createCatalog();
  const view = catalog.view({ source: "late" });
  expect(view.tools()).toEqual([]);
  catalog.add(testSource({ id: "late", tools: ["a"] }));
  expect(names(view)).toEqual(["a"]);
});

test("prompts are prefixed like tools, and completion reaches their source under its own name", async () => {
  const catalog = createCatalog();
  const asked: unknown[] = [];
  catalog.add(
    testSource({
      id: "git",
      prefix: "git",
      prompts: () => [{ name: "review" }],
      getPrompt: () => Promise.resolve({ messages: [] }),
      complete: (request) => {
        asked.push(request.ref);
        return Promise.resolve({ values: ["main"] });
      },
    }),
  );
  const view = catalog.view("all");
  expect(view.prompts()).toEqual([{ name: "git__review" }]);
  expect(view.findPrompt("git__review")?.prompt.name).toBe("review");
  const request = {
    ref: { type: "ref/prompt", name: "git__review" },
    argument: { name: "branch", value: "m" },
  } as const;
  expect(await reachCompletion(view, request)?.run(testContext())).toEqual({ values: ["main"] });
  expect(asked).toEqual([{ type: "ref/prompt", name: "review" }]);
});

test("a new filter takes effect at once, and listeners get a notice", async () => {
  const catalog = createCatalog({ exclude: ["*__push"] });
  catalog.add(testSource({ id: "git", prefix: "git", tools: ["push", "log"] }));
  await setImmediate();
  const notices: unknown[] = [];
  catalog.onChange((change) => notices.push(change));
  expect(catalog.tools().map((tool) => tool.name)).toEqual(["git__log"]);
  catalog.setFilter({ include: ["*__push"] });
  expect(catalog.tools().map((tool) => tool.name)).toEqual(["git__push"]);
  await setImmediate();
  expect(notices).toHaveLength(1);
});

test("a pattern that a setting compares with full names only is reported once, with the name to write", async () => {
  const warned: unknown[] = [];
  const log = { ...silentLog, warn: (message: string, fields?: object) => void warned.push({ message, ...fields }) };
  const catalog = createCatalog({ log });
  catalog.add(testSource({ id: "files", prefix: "files", tools: ["write.file"] }));
  catalog.watchPatterns({ where: "policy", patterns: ["files__write_file", "write.file", "later"] });
  await setImmediate();
  const message = "a pattern of policy matches no full name of a tool";
  expect(warned).toEqual([{ message, pattern: "write.file", write: "files__write.file" }]);
  catalog.watchPatterns({ where: "policy", patterns: ["wr?te*", "*"] });
  await setImmediate();
  expect(warned.slice(1)).toEqual([{ message, pattern: "wr?te*", write: "files__write.file" }]);
});

test("a filter means tools and prompts by any of their names", () => {
  const open = (filter: object) => {
    const catalog = createCatalog(filter);
    catalog.add(
      testSource({ id: "git", prefix: "g", tools: ["log", "push.all"], prompts: () => [{ name: "review" }] }),
    );
    catalog.add(testSource({ id: "machine", kind: "machine", tools: ["system.run"] }));
    return [
      ...catalog.tools().map(({ name }) => name),
      ...catalog
        .view("all")
        .prompts()
        .map(({ name }) => name),
    ];
  };
  for (const log of ["log", "g__log", "git__log", "*__log", "l?g"])
    expect(open({ exclude: [log] })).toEqual(["g__push.all", "system.run", "g__review"]);
  expect(open({ exclude: ["push_all", "system_run", "review"] })).toEqual(["g__log"]);
  expect(open({ include: ["push_all", "review"] })).toEqual(["g__push.all", "g__review"]);
});
