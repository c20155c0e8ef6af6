import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { testContext, testSource, testTool } from "../../../tests/support/test-source.ts";
import type { Caller } from "../caller.ts";
import { createCatalog } from "../catalog.ts";
import type { Skill } from "../../mcp/messages/skill.ts";
import type { ListedSource, Source } from "../source.ts";
import type { View } from "../view.ts";
import { reachCompletion } from "../guard/reach-source.ts";

const anna: Caller = { door: "mcp-http", token: "anna" };
const bert: Caller = { door: "mcp-http", token: "bert" };

interface Lists {
  readonly uris?: readonly string[];
  readonly templates?: readonly string[];
  readonly page?: string;
}

function sourceWith(id: string, { uris = [], templates = [], page }: Lists): Source {
  const resources = uris.map((uri) => ({ uri, name: id }));
  const resourceTemplates = templates.map((uriTemplate) => ({ uriTemplate, name: id }));
  return testSource({
    id,
    prefix: id,
    tools: page === undefined ? [] : [testTool("show", { _meta: { ui: { resourceUri: page, csp: {} }, other: 1 } })],
    resources: () => resources,
    resourceTemplates: () => resourceTemplates,
    readResource: () => Promise.resolve({ contents: [] }),
  });
}

function catalogOf(sources: Readonly<Record<string, Lists>>) {
  const catalog = createCatalog();
  for (const [id, lists] of Object.entries(sources)) catalog.add(sourceWith(id, lists));
  return catalog;
}

const urisOf = (view: View) => view.resources().map(({ uri }) => uri);
const find = (view: View, uri: string, caller = anna) => {
  const found = view.findResource(uri, caller);
  return found && `${found.source.id} ${found.uri}`;
};
const link = (uri: string) => ({ type: "resource_link", uri, name: "link" }) as const;
/** What the caller sees of a link in a result of the source. */
function linked(
  view: View,
  catalog: { sources(): readonly ListedSource[] },
  id: string,
  uri: string,
  caller = anna,
): string {
  const source = catalog.sources().find((each) => each.id === id)!;
  const { content } = view.showUris(source, { content: [link(uri)] }, caller);
  return content[0]!.uri;
}

const page = "ui://app/main.html";

test("a URI that two sources list is shown with the name of each, and reaches each", () => {
  const view = catalogOf({ one: { uris: [page, "ui://only/one"] }, two: { uris: [page] } }).view("all");
  expect(urisOf(view)).toEqual(["ui://one.clawport/app/main.html", "ui://only/one", "ui://two.clawport/app/main.html"]);
  expect(find(view, "ui://one.clawport/app/main.html")).toBe(`one ${page}`);
  expect(find(view, "ui://two.clawport/app/main.html")).toBe(`two ${page}`);
  expect(find(view, "ui://only/one")).toBe("one ui://only/one");
});

test("in its plain form it belongs to neither, and the error says what to read instead", () => {
  const view = catalogOf({ one: { uris: [page] }, two: { uris: [page] } }).view("all");
  expect(() => view.findResource(page, anna)).toThrow(
    'More than one server has a resource at "ui://app/main.html". Read one of these instead: "ui://one.clawport/app/main.html", "ui://two.clawport/app/main.html".',
  );
});

test("it still reaches the source whose list a caller got when no other source had it", () => {
  const catalog = catalogOf({ one: { page } });
  const view = catalog.view("all");
  view.noteListed(anna);
  catalog.add(sourceWith("two", { page, uris: [page] }));
  expect(find(view, page)).toBe(`one ${page}`);
  expect(() => find(view, page, bert)).toThrow("More than one server");
  view.noteListed(anna);
  expect(() => find(view, page)).toThrow("More than one server");
});

test("not if that source is gone", () => {
  const catalog = catalogOf({ one: { page }, three: {} });
  const view = catalog.view("all");
  view.noteListed(anna);
  catalog.add(sourceWith("two", { page }));
  catalog.remove("one");
  catalog.add(sourceWith("four", { page }));
  expect(() => find(view, page)).toThrow("More than one server");
});

test("the page that a tool names follows, also if no list mentions it", () => {
  const catalog = catalogOf({ one: { uris: [page] }, two: { page } });
  const [tool] = catalog.view("all").definitions();
  expect(tool!._meta).toEqual({ ui: { resourceUri: "ui://two.clawport/app/main.html", csp: {} }, other: 1 });
  expect(find(catalog.view("all"), "ui://two.clawport/app/main.html")).toBe(`two ${page}`);
});

test("at a source's own address nothing changes", () => {
  const catalog = catalogOf({ one: { uris: [page], page }, two: { uris: [page], page, templates: ["note://{id}"] } });
  const view = catalog.view({ source: "two" });
  expect(urisOf(view)).toEqual([page]);
  expect(view.definitions()[0]!._meta).toEqual({ ui: { resourceUri: page, csp: {} }, other: 1 });
  expect(find(view, page)).toBe(`two ${page}`);
  expect(find(view, "unlisted://x")).toBe("two unlisted://x");
  expect(linked(view, catalog, "two", page)).toBe(page);
});

test("a page that one source alone has keeps its URI, and comes back to it when the other one is gone", async () => {
  const catalog = catalogOf({ one: { page } });
  const view = catalog.view("all");
  const before = view.definitions()[0]!;
  expect(before._meta).toMatchObject({ ui: { resourceUri: page } });
  const changes: unknown[] = [];
  view.onChange((change) => changes.push(change));
  const remove = catalog.add(sourceWith("two", { page }));
  await setImmediate();
  expect(view.definitions().map(({ _meta }) => (_meta as { ui: { resourceUri: string } }).ui.resourceUri)).toEqual([
    "ui://one.clawport/app/main.html",
    "ui://two.clawport/app/main.html",
  ]);
  remove();
  expect(view.definitions()[0]!._meta).toMatchObject({ ui: { resourceUri: page } });
  expect(changes).toEqual([{ tools: true, prompts: false, resources: false }]);
});

test("a change elsewhere is no change of URIs that are shown in another form", async () => {
  const catalog = catalogOf({ one: { uris: [page], page }, two: { uris: [page], page } });
  const view = catalog.view("all");
  const [tools, resources] = [view.definitions(), view.resources()];
  const changes: unknown[] = [];
  await setImmediate();
  view.onChange((change) => changes.push(change));
  catalog.add(testSource({ id: "three", prompts: () => [{ name: "p" }] }));
  await setImmediate();
  expect(changes).toEqual([{ tools: false, prompts: true, resources: false }]);
  expect(view.definitions()).toBe(tools);
  expect(view.resources()).toEqual(resources);
});

test("equal templates, and those that could stand for each other's URIs, are shown with the name of their source", () => {
  const view = catalogOf({
    one: { templates: ["note://{id}", "db://{table}"], uris: ["file:///a/b"] },
    two: { templates: ["note://{id}", "file:///{+path}", "mail://{id}"] },
  }).view("all");
  expect(view.resourceTemplates().map(({ uriTemplate }) => uriTemplate)).toEqual([
    "note://one.clawport/{id}",
    "db://{table}",
    "note://two.clawport/{id}",
    "file://two.clawport//{+path}",
    "mail://{id}",
  ]);
  expect(find(view, "note://two.clawport/7")).toBe("two note://7");
  expect(() => find(view, "note://7")).toThrow("More than one server");
  expect(find(view, "file://two.clawport//a/b")).toBe("two file:///a/b");
  expect(find(view, "file:///a/b")).toBe("one file:///a/b");
  expect(find(view, "file:///c")).toBe("two file:///c");
  expect(find(view, "mail://1")).toBe("two mail://1");
});

test("an argument of a template is completed by its source, with the template as the source knows it", async () => {
  const asked: unknown[] = [];
  const complete: Source["complete"] = (request) => {
    asked.push(request.ref);
    return Promise.resolve({ values: [] });
  };
  const catalog = catalogOf({ one: { templates: ["note://{id}"] } });
  catalog.add({ ...sourceWith("two", { templates: ["note://{id}"] }), complete });
  const ref = { type: "ref/resource", uri: "note://two.clawport/{id}" } as const;
  await reachCompletion(catalog.view("all"), { ref, argument: { name: "id", value: "" } })?.run(testContext());
  expect(asked).toEqual([{ type: "ref/resource", uri: "note://{id}" }]);
});

test("a link that no list mentions is remembered for the caller that got it", () => {
  const catalog = catalogOf({ one: {}, two: {} });
  const view = catalog.view("all");
  expect(linked(view, catalog, "two", "made://1")).toBe("made://1");
  expect(find(view, "made://1")).toBe("two made://1");
  expect(find(view, "made://1", bert)).toBeUndefined();
  expect(find(view, "made://1", { ...anna, sessionKey: "another" })).toBeUndefined();
});

test("a link that another source has sent, lists or has a template for is shown with the name of its source", () => {
  const catalog = catalogOf({ one: { uris: ["a://1"], templates: ["b://{id}"] }, two: {} });
  const view = catalog.view("all");
  expect(linked(view, catalog, "one", "made://1")).toBe("made://1");
  expect(linked(view, catalog, "two", "made://1")).toBe("made://two.clawport/1");
  expect(linked(view, catalog, "two", "made://1", bert)).toBe("made://1");
  expect(linked(view, catalog, "two", "a://1")).toBe("a://two.clawport/1");
  expect(linked(view, catalog, "two", "b://1")).toBe("b://two.clawport/1");
  expect(linked(view, catalog, "one", "a://1")).toBe("a://1");
  expect(linked(view, catalog, "one", "b://1")).toBe("b://1");
  expect(find(view, "made://two.clawport/1")).toBe("two made://1");
});

test("a source can't name a resource of another one with the form that names its source", () => {
  const spoof = "ui://two.clawport/app/main.html";
  const catalog = catalogOf({ one: { uris: [spoof], page: spoof, templates: [spoof] }, two: { uris: [page] } });
  const view = catalog.view("all");
  expect(urisOf(view)).toEqual(["ui://one.clawport/two.clawport/app/main.html", page]);
  expect(view.definitions()[0]!._meta).toMatchObject({
    ui: { resourceUri: "ui://one.clawport/two.clawport/app/main.html" },
  });
  expect(linked(view, catalog, "one", spoof)).toBe("ui://one.clawport/two.clawport/app/main.html");
  expect(find(view, spoof)).toBe(`two ${page}`);
  expect(find(view, "ui://one.clawport/two.clawport/app/main.html")).toBe(`one ${spoof}`);
});

test("a source is found if the client has written its name in lower case", () => {
  const view = catalogOf({ One: { uris: ["https://example.com/a"] }, two: {} }).view("all");
  expect(find(view, "https://one.clawport/example.com/a")).toBe("One https://example.com/a");
});

test("a view of some sources sees only their conflicts", () => {
  const catalog = catalogOf({ one: { uris: [page] }, two: { uris: [page] }, three: {} });
  const view = catalog.view({ sources: ({ id }) => id !== "one" });
  expect(urisOf(view)).toEqual([page]);
  expect(find(view, page)).toBe(`two ${page}`);
  expect(find(view, "ui://one.clawport/app/main.html")).toBeUndefined();
});

test("links, resources and _meta in every kind of result are shown alike", () => {
  const catalog = catalogOf({ one: { uris: [page] }, two: { uris: [page] } });
  const view = catalog.view("all");
  const two = catalog.sources()[1]!;
  const shown = "ui://two.clawport/app/main.html";
  const resource = (uri: string) => ({ type: "resource", resource: { uri, text: "t" } });
  const text = { type: "text", text: page };
  const result = (uri: string) => ({
    content: [link(uri), resource(uri), text, "odd", null, { type: "resource" }],
    contents: [{ uri, text: "t" }, 7],
    messages: [{ role: "user", content: resource(uri) }, { role: "user", content: text }, null],
    structuredContent: { uri: page },
    _meta: { ui: { resourceUri: uri }, "ui/resourceUri": uri, other: page },
  });
  expect(view.showUris(two, result(page), anna)).toEqual(result(shown));
  const untouched = { content: [text] };
  expect(view.showUris(two, untouched, anna)).toBe(untouched);
});

test("what a caller has read has the URI that it used", () => {
  const catalog = catalogOf({ one: {}, two: { uris: [page] } });
  const view = catalog.view("all");
  const shown = "ui://two.clawport/app/main.html";
  const found = view.findResource(shown, anna)!;
  const result = view.showUris(found.source, { contents: [{ uri: page }] }, anna, { ...found, shown });
  expect(result).toEqual({ contents: [{ uri: shown }] });
});

test("memory is bounded: the oldest links are forgotten, and a link that is too long is shown with its source", () => {
  const catalog = catalogOf({ one: {}, two: {} });
  const view = catalog.view("all");
  for (let n = 0; n <= 1000; n++) linked(view, catalog, "two", `made://${n}`);
  expect(find(view, "made://0")).toBeUndefined();
  expect(find(view, "made://1000")).toBe("two made://1000");
  const long = `made://${"x".repeat(3000)}`;
  const shown = linked(view, catalog, "two", long);
  expect(shown).toBe(`made://two.clawport/${"x".repeat(3000)}`);
  expect(find(view, shown)).toBe(`two ${long}`);
  for (let n = 0; n < 250; n++) linked(view, catalog, "two", "made://a", { ...anna, token: `t${n}` });
  expect(find(view, "made://1000")).toBeUndefined();
});

test("a link still reaches the source that sent it when another source lists its URI later", () => {
  const catalog = catalogOf({ one: {}, two: {} });
  const view = catalog.view("all");
  expect(linked(view, catalog, "one", "made://1")).toBe("made://1");
  catalog.add(sourceWith("three", { uris: ["made://1"], templates: ["made://{id}"] }));
  expect(find(view, "made://1")).toBe("one made://1");
  expect(find(view, "made://1", bert)).toBe("three made://1");
  view.noteListed(anna);
  expect(() => find(view, "made://1")).toThrow("More than one server");
  expect(find(view, "made://one.clawport/1")).toBe("one made://1");
  catalog.remove("one");
  expect(find(view, "made://1")).toBe("three made://1");
});

test("a URI that a caller's list had from one source is not read from another that claims it later", () => {
  const catalog = catalogOf({ one: { templates: ["note://x/{+id}"] }, two: {} });
  const view = catalog.view("all");
  view.noteListed(anna);
  catalog.add(withSkill("three", "note://x/SKILL.md"));
  expect(find(view, "note://x/7")).toBe("one note://x/7");
});

test("a list of one source alone says nothing about URIs that are not in it", () => {
  const catalog = catalogOf({ one: {} });
  const view = catalog.view("all");
  view.noteListed(anna);
  catalog.add(sourceWith("two", { uris: [page] }));
  expect(linked(view, catalog, "two", page)).toBe(page);
  catalog.remove("one");
  catalog.add(sourceWith("one", { uris: [page] }));
  expect(() => find(view, page)).toThrow("More than one server");
});

test("a template within the directory of another source's skill is shown with the name of its source", () => {
  const catalog = catalogOf({ one: { templates: ["file:///{+path}", "note://x/y/{id}", "note://z/{id}"] } });
  catalog.add(withSkill("two", "file:/SKILL.md"));
  catalog.add(withSkill("three", "note://x/SKILL.md"));
  expect(
    catalog
      .view("all")
      .resourceTemplates()
      .map(({ uriTemplate }) => uriTemplate),
  ).toEqual(["file://one.clawport//{+path}", "note://one.clawport/x/y/{id}", "note://z/{id}"]);
});

test("no source can use the form of a source that is gone", () => {
  const gone = "ui://gone.clawport/app/main.html";
  const view = catalogOf({ one: { uris: [gone], templates: ["ui://{+any}"] }, two: {} }).view("all");
  expect(find(view, gone)).toBeUndefined();
  view.noteListed(anna);
  expect(find(view, gone)).toBeUndefined();
  const catalog = catalogOf({ one: { uris: [gone] } });
  const live = catalog.view("all");
  live.noteListed(anna);
  catalog.add(sourceWith("two", {}));
  expect(find(live, gone)).toBe(`one ${gone}`);
});

function withSkill(id: string, uri: string): Source {
  const skill: Skill = { uri, frontmatter: { name: id, description: id }, resources: "dynamic" };
  return { ...sourceWith(id, {}), skills: () => [skill] };
}

test("hostile templates, URIs and results take little time", () => {
  const templates = Array.from({ length: 2000 }, (_, at) => `x://{+a}{+b}/${"{c}-".repeat(25)}${at}`);
  const repeating = Array.from({ length: 2000 }, (_, at) => `y://{+a}${"a".repeat(4000)}b${at}`);
  const catalog = catalogOf({ one: { templates: [...templates, ...repeating] }, two: {} });
  const view = catalog.view("all");
  const before = process.cpuUsage();
  find(view, `x://${"-/".repeat(4000)}`);
  find(view, `y://${"a".repeat(8000)}`);
  const content = Array.from({ length: 5000 }, (_, at) => link(`x://${"-".repeat(200)}${at}`));
  const shown = view.showUris(catalog.sources()[1]!, { content }, anna);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(3000);
  expect(shown.content.at(-1)!.uri).toBe(`x://two.clawport/${"-".repeat(200)}4999`);
});

test("the long form names its source also where there is only one, and never another source", () => {
  const alone = catalogOf({ one: { uris: ["same://x"] } });
  for (const view of [alone.view("all"), alone.view({ source: "one" })]) {
    expect(find(view, "same://one.clawport/x")).toBe("one same://x");
    expect(find(view, "same://gone.clawport/x")).toBeUndefined();
    expect(find(view, "same://unlisted")).toBe("one same://unlisted");
  }
  const hub = catalogOf({ hub: { uris: ["same://one.clawport/x"], templates: ["note://two.clawport/{id}"] } });
  expect(find(hub.view("all"), "same://one.clawport/x")).toBe("hub same://one.clawport/x");
  expect(find(hub.view("all"), "note://two.clawport/7")).toBe("hub note://two.clawport/7");
});

test("a template that several sources have is completed by none, and the answer names the forms to use", async () => {
  const catalog = createCatalog();
  const complete: Source["complete"] = () => Promise.resolve({ values: ["7"] });
  const templates = { one: ["note://{id}"], two: ["note://{id}", "file:///{+path}"] };
  for (const [id, own] of Object.entries(templates))
    catalog.add({ ...sourceWith(id, { templates: own, uris: [`file:///a/${id}`] }), complete });
  const view = catalog.view("all");
  const request = (uri: string) =>
    ({ ref: { type: "ref/resource", uri }, argument: { name: "id", value: "" } }) as const;
  expect(() => view.findCompletion(request("note://{id}"))).toThrow(
    'Several servers have the template "note://{id}". Use the one that is listed: "note://one.clawport/{id}", "note://two.clawport/{id}".',
  );
  expect(view.findCompletion(request("file:///{+path}"))?.source.id).toBe("two");
  expect(view.findCompletion(request("note://two.clawport/{id}"))?.source.id).toBe("two");
});
