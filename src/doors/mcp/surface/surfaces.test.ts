import { afterEach, expect, test, vi } from "vitest";
import { talkTo } from "../../../../tests/support/mcp/talk.ts";
import { startGuard } from "../../../../tests/support/start-guard.ts";
import { type TestSource, testSource, testTool } from "../../../../tests/support/test-source.ts";
import { createToolSearch } from "../../../catalog/search/tool-search.ts";
import { silentLog } from "../../../core/log.ts";
import { createMcpServer, type McpServer } from "../../../mcp/server/mcp-server.ts";
import { createViewOffer } from "../view-offer.ts";
import type { SurfaceSetting } from "./choose-surface.ts";
import { createSurfaces } from "./surfaces.ts";

const three = ["search_tools", "describe_tool", "call_tool"];
const many = Array.from({ length: 80 }, (_, index) => testTool(`tool${index}`));
let close: (() => Promise<void>) | undefined;
afterEach(() => close?.());

test("auto decides for each client of one server, in both eras", async () => {
  const { server } = await serve({ tools: many });
  for (const [client, expected] of [
    ["cursor", 3],
    ["claude-code", 80],
    [undefined, 80],
  ] as const) {
    expect((await legacy(server, client)).names).toHaveLength(expected);
    expect(await modernNames(server, client)).toHaveLength(expected);
  }
});

test("a client of the search surface is not told of changes, one of the full list is", async () => {
  const { server, source, changed } = await serve({ tools: many });
  const [searching, whole] = [await legacy(server, "cursor"), await legacy(server, "claude-code")];
  const streams = [talkTo(server), talkTo(server)];
  for (const [index, name] of ["cursor", "claude-code"].entries())
    void streams[index]!.modern("subscriptions/listen", { notifications: { toolsListChanged: true } }, named(name));
  source.offer(many.slice(1));
  await changed();
  const notices = [searching.talk, whole.talk, ...streams].map(
    ({ sent }) => sent.filter(({ method }) => method === "notifications/tools/list_changed").length,
  );
  expect(notices).toEqual([0, 1, 0, 1]);
});

test("a list that grows past the limit is announced, and the next list is the short one", async () => {
  const { server, source, changed } = await serve({ tools: many.slice(0, 10) });
  const { talk, names } = await legacy(server, "cursor");
  expect(names).toHaveLength(10);
  source.offer(many);
  await changed();
  expect(talk.sent.map(({ method }) => method)).toEqual(["notifications/tools/list_changed"]);
  expect(namesIn(await talk.ask("tools/list"))).toEqual(three);
  source.offer(many.slice(0, 5));
  await changed();
  // The model may still use what it was given.
  const answer = await talk.ask("tools/call", { name: "call_tool", arguments: { name: "git__tool1" } });
  expect(answer.result.content[0].text).toBe("tool1");
});

test("a changed setting is announced to live clients whose list it changes, and their next list follows it", async () => {
  const { server, surfaces } = await serve({ tools: ["push", "pull"], setting: "auto" });
  const fixed = createMcpServer(surfaces.wrap(...server.wrapped, "full"));
  const [talk, other] = [(await legacy(server, "cursor")).talk, (await legacy(fixed, "cursor")).talk];
  surfaces.change({ setting: "search", always: [] });
  expect(namesIn(await talk.ask("tools/list"))).toEqual(three);
  surfaces.change({ setting: "search", always: ["git__pu*h"] });
  expect(namesIn(await talk.ask("tools/list"))).toEqual([...three, "git__push"]);
  surfaces.change({ setting: "search", always: ["*push"] });
  surfaces.change({ setting: "full", always: [] });
  expect(namesIn(await talk.ask("tools/list"))).toEqual(["git__push", "git__pull"]);
  expect(talk.sent.map(({ method }) => method)).toEqual(Array(3).fill("notifications/tools/list_changed"));
  expect(namesIn(await other.ask("tools/list"))).toEqual(["git__push", "git__pull"]);
  expect(other.sent).toEqual([]);
  fixed.close();
});

test("search and description show what the view shows, and nothing else", async () => {
  const { server, catalog } = await serve({ tools: ["push"], setting: "search", only: "git" });
  catalog.add(testSource({ id: "secret", prefix: "secret", tools: [testTool("push", { description: "Push it." })] }));
  const { talk } = await legacy(server, "cursor");
  const found = await talk.ask("tools/call", { name: "search_tools", arguments: { query: "push" } });
  expect(found.result.content[0].text).toBe("git__push()");
  for (const [name, args] of [
    ["describe_tool", { name: "secret__push" }],
    ["call_tool", { name: "secret__push", arguments: {} }],
  ] as const)
    expect((await talk.ask("tools/call", { name, arguments: args })).result.isError).toBe(true);
});

test.each([
  ["git__get_sum", "Did you mean git__get-sum?"],
  ["get-sum", "Did you mean git__get-sum?"],
  ["mcp__clawport__git__get-sum", "Did you mean git__get-sum?"],
  ["git__getSum", "Did you mean git__get-sum?"],
  ["git.pull", "Did you mean git__pull?"],
  ["pull", "Did you mean git__pull or notes__pull?"],
  ["secret__get-sum", "Use search_tools to find the tool's name."],
  ["legit__pull", "Use search_tools to find the tool's name."],
  ["git__nothing", "Use search_tools to find the tool's name."],
  ["__", "Use search_tools to find the tool's name."],
])("a model that asks for the unknown tool %s reads: %s", async (asked, hint) => {
  const { server, catalog } = await serve({ tools: ["get-sum", "pull"], setting: "search" });
  catalog.add(testSource({ id: "notes", prefix: "notes", tools: ["pull"] }));
  const { talk } = await legacy(server, "cursor");
  for (const name of ["describe_tool", "call_tool"]) {
    const { result } = await talk.ask("tools/call", { name, arguments: { name: asked } });
    expect(result).toMatchObject({ isError: true, content: [{ text: `Unknown tool: "${asked}". ${hint}` }] });
  }
});

test("a tool that the view hides is not suggested", async () => {
  const { server, catalog } = await serve({ tools: ["push"], setting: "search", only: "git" });
  catalog.add(testSource({ id: "secret", prefix: "secret", tools: ["get-sum"] }));
  const { talk } = await legacy(server, "cursor");
  const { result } = await talk.ask("tools/call", { name: "describe_tool", arguments: { name: "get_sum" } });
  expect(result.content[0].text).toBe('Unknown tool: "get_sum". Use search_tools to find the tool\'s name.');
});

test("the index follows the tools", async () => {
  const { server, source } = await serve({ tools: ["frobnicate"], setting: "search" });
  const { talk } = await legacy(server, "cursor");
  const search = async (query: string) =>
    (await talk.ask("tools/call", { name: "search_tools", arguments: { query } })).result.content[0].text as string;
  expect(await search("frobnicate")).toContain("git__frobnicate");
  source.offer([testTool("pull", { description: "Fetches and merges. More.", inputSchema: pullSchema })]);
  expect(await search("pull")).toBe('git__pull(remote: string, depth?: integer, mode?: "a"|"b") - Fetches and merges.');
  expect(await search("frobnicate")).toMatch(/^No tool fits\. Servers: git \(1\)$/);
});

test("a tool of a source that has one of the three names does not take its place under search, and does under full", async () => {
  const rogue = { id: "rogue", prefix: "", tools: ["call_tool"] };
  const { server } = await serve({ tools: ["push"], setting: "search", also: testSource(rogue) });
  const { talk, names } = await legacy(server, "cursor");
  expect(names).toEqual(three);
  const call = { name: "call_tool", arguments: { name: "git__push" } };
  expect((await talk.ask("tools/call", call)).result.content[0].text).toBe("push");
  await close?.();
  const { server: full } = await serve({ tools: ["push"], setting: "full", also: testSource(rogue) });
  const { talk: other } = await legacy(full, "cursor");
  expect((await other.ask("tools/call", call)).result.content[0].text).toBe("call_tool");
  expect((await other.ask("tools/call", { name: "search_tools", arguments: { query: "x" } })).error).toMatchObject({
    code: -32602,
  });
});

test("a tool that has one of the three names is found, described and called through call_tool, in both eras and as a task", async () => {
  const own = three.map((name) =>
    testTool(name, {
      description: `Frobnicates ${name}.`,
      inputSchema: { type: "object", properties: { depth: { type: "integer" } } },
      execution: { taskSupport: "optional" },
    }),
  );
  const also = testSource({ id: "rogue", prefix: "", tools: own });
  const { server } = await serve({ tools: ["push"], setting: "search", also });
  const { talk } = await legacy(server, "cursor");
  const found = await talk.ask("tools/call", { name: "search_tools", arguments: { query: "frobnicate" } });
  expect(found.result.content[0].text.split("\n").toSorted()).toEqual(
    three.map((name) => `${name}(depth?: integer) - Frobnicates ${name}.`).toSorted(),
  );
  for (const name of three) {
    const described = await talk.ask("tools/call", { name: "describe_tool", arguments: { name } });
    expect(described.result.content[0].text).toContain(`Frobnicates ${name}.`);
    const call = { name: "call_tool", arguments: { name, arguments: { depth: 1 } } };
    expect((await talk.ask("tools/call", call)).result.content[0].text).toBe(name);
    expect((await talkTo(server).modern("tools/call", call, named("cursor"))).result.content[0].text).toBe(name);
    const { task } = (await talk.ask("tools/call", { ...call, task: {} })).result;
    expect((await talk.ask("tasks/result", { taskId: task.taskId })).result.content[0].text).toBe(name);
    const wrong = { name: "call_tool", arguments: { name, arguments: { depth: "deep" } } };
    expect((await talk.ask("tools/call", wrong)).result.isError).toBe(true);
  }
});

test("without such a tool, call_tool can call the other two, and not itself", async () => {
  const { server } = await serve({ tools: ["push"], setting: "search" });
  const { talk } = await legacy(server, "cursor");
  const call = async (name: string, args: object) =>
    (await talk.ask("tools/call", { name: "call_tool", arguments: { name, arguments: args } })).result;
  expect((await call("search_tools", { query: "push" })).content[0].text).toContain("git__push");
  expect((await call("describe_tool", { name: "git__push" })).content[0].text).toContain("git__push");
  const itself = await call("call_tool", { name: "git__push" });
  expect(itself).toMatchObject({ isError: true });
  expect(itself.content[0].text).toContain("can't call itself");
});

test("what a search shows of a tool does not end in half a character", async () => {
  const faces = "😀".repeat(200);
  const tools = ["", "x"].map((shift, index) =>
    testTool(`push${index}`, {
      description: `Push ${shift}${faces}`,
      inputSchema: { type: "object", properties: { [`${shift}${faces}`]: { enum: [faces] } } },
    }),
  );
  const { server } = await serve({ tools, setting: "search" });
  const { talk } = await legacy(server, "cursor");
  const { result } = await talk.ask("tools/call", { name: "search_tools", arguments: { query: "push" } });
  expect(result.content[0].text.split("\n")).toHaveLength(2);
  expect(result.content[0].text.isWellFormed()).toBe(true);
});

test("arguments beside those of call_tool are refused, since the tool would run without them", async () => {
  const { server, source } = await serve({ tools: ["purge"], setting: "search" });
  const { talk } = await legacy(server, "cursor");
  const call = async (args: object) => (await talk.ask("tools/call", { name: "call_tool", arguments: args })).result;
  const flat = await call({ name: "git__purge", dryRun: true });
  expect(flat).toMatchObject({ isError: true });
  expect(flat.content[0].text).toBe('Put the arguments of the tool into "arguments": "dryRun" is beside it.');
  expect(await call({ name: "git__purge", arguments: "{}" })).toMatchObject({ isError: true });
  expect(source.calls).toEqual([]);
  await call({ name: "git__purge", arguments: null });
  await call({ name: "git__purge", arguments: { dryRun: true } });
  expect(source.calls.map(({ args }) => args)).toEqual([{}, { dryRun: true }]);
});

test("a search that can't be opened fails alone, and is opened again with the next one", async () => {
  const loose: unknown[] = [];
  const note = (error: unknown) => void loose.push(error);
  process.on("unhandledRejection", note);
  let attempts = 0;
  const fails = () => (++attempts <= 2 ? Promise.reject(new Error("not there")) : undefined);
  const { server } = await serve({ tools: ["push"], setting: "search", fails });
  const { talk, names } = await legacy(server, "cursor");
  const search = async () =>
    (await talk.ask("tools/call", { name: "search_tools", arguments: { query: "push" } })).result;
  expect(names).toEqual(three);
  await vi.waitUntil(() => attempts === 1);
  expect(await search()).toMatchObject({ isError: true });
  expect((await search()).content[0].text).toContain("git__push");
  process.off("unhandledRejection", note);
  expect(loose).toEqual([]);
});

test("search needs a query, and takes several phrasings", async () => {
  const { server } = await serve({ tools: ["push"], setting: "search" });
  const { talk } = await legacy(server, "cursor");
  const search = async (args: object) =>
    (await talk.ask("tools/call", { name: "search_tools", arguments: args })).result;
  for (const query of ["", "  ", [], [""], 7, undefined, ["a", "b", "c", "d", "e", "f"]])
    expect(await search({ query })).toMatchObject({ isError: true });
  expect((await search({ query: ["nothing", "push"] })).content[0].text).toContain("git__push");
  expect(await search({ query: "push", limit: 0 })).toMatchObject({ isError: true });
});

test("the instructions say what can be found, and stay within 2 KB", async () => {
  const { server } = await serve({ tools: many, instructions: "Be quick. ".repeat(1000) });
  const { instructions } = await legacy(server, "cursor");
  expect(instructions).toMatch(/^Tools of these servers are found with search_tools and called with call_tool: git\./);
  expect(instructions).toContain("## git\n\nBe quick.");
  expect(Buffer.byteLength(instructions)).toBeLessThanOrEqual(2048);
  expect((await legacy(server, "claude-code")).instructions).toMatch(/^## git/);
});

test("two addresses of one client are two entries, and each is noted once", async () => {
  const { server, surfaces } = await serve({ tools: ["push"] });
  const searched = createMcpServer(surfaces.wrap(...server.wrapped, "search"));
  for (const each of [server, searched, server, searched]) await legacy(each, "cursor");
  expect(surfaces.given()).toMatchObject([
    { client: "cursor", surface: "search", why: "its token or address says so" },
    { client: "cursor", surface: "full", why: "the list is small" },
  ]);
  searched.close();
});

interface Served {
  readonly tools: NonNullable<Parameters<typeof startGuard>[0]>["tools"];
  readonly setting?: SurfaceSetting;
  readonly only?: string;
  readonly also?: TestSource;
  readonly instructions?: string;
  /** Keeps the search from being opened. */
  readonly fails?: () => Promise<never> | undefined;
}

const pullSchema = {
  type: "object",
  properties: { depth: { type: "integer" }, mode: { enum: ["a", "b"] }, remote: { type: "string" } },
  required: ["remote"],
};

async function serve({ tools = [], setting = "auto", only, also, instructions, fails }: Served) {
  const guarded = await startGuard({
    tools,
    ...(instructions === undefined ? {} : { source: { instructions: () => instructions } }),
  });
  const { catalog, guard, source } = guarded;
  if (also) catalog.add(also);
  const view = catalog.view(only === undefined ? "all" : { sources: ({ id }) => id === only });
  const openSearch = () => fails?.() ?? Promise.resolve(createToolSearch({ tools: () => catalog.tools() }));
  const surfaces = createSurfaces({ setting, always: [], log: silentLog, openSearch });
  const offer = createViewOffer({ view, guard, door: "mcp-http", info: { name: "t", version: "1" }, log: silentLog });
  const server = { ...createMcpServer(surfaces.wrap(offer, view)), wrapped: [offer, view] as const };
  close = async () => {
    server.close();
    await guarded[Symbol.asyncDispose]();
    close = undefined;
  };
  const changed = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)));
  return { server, catalog, source, changed, surfaces };
}

async function legacy(server: McpServer, client: string | undefined) {
  const talk = talkTo(server);
  const clientInfo = client === undefined ? undefined : { name: client, version: "1" };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  const { result } = await talk.ask("initialize", params);
  return { talk, instructions: result.instructions as string, names: namesIn(await talk.ask("tools/list")) };
}

const named = (name: string | undefined) => ({
  meta: name === undefined ? {} : { "io.modelcontextprotocol/clientInfo": { name, version: "1" } },
});

async function modernNames(server: McpServer, client: string | undefined): Promise<string[]> {
  return namesIn(await talkTo(server).modern("tools/list", {}, named(client)));
}

function namesIn({ result }: { readonly result?: { readonly tools: readonly { readonly name: string }[] } }): string[] {
  return (result?.tools ?? []).map(({ name }) => name);
}
