import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { withTasks } from "../../../../tests/support/mcp/messages.ts";
import { negotiate, type Talk, talkTo } from "../../../../tests/support/mcp/talk.ts";
import { startGuard } from "../../../../tests/support/start-guard.ts";
import { testSource, testTool } from "../../../../tests/support/test-source.ts";
import { until } from "../../../../tests/support/until.ts";
import { createToolSearch } from "../../../catalog/search/tool-search.ts";
import type { Policy } from "../../../core/config/policy-config.ts";
import { silentLog } from "../../../core/log.ts";
import { textResult, type Tool, type ToolResult } from "../../../mcp/messages/tool.ts";
import { createMcpServer } from "../../../mcp/server/mcp-server.ts";
import type { Surface } from "../surface/choose-surface.ts";
import { createSurfaces } from "../surface/surfaces.ts";
import { createViewOffer } from "../view-offer.ts";
import { offerResults } from "./result-offer.ts";
import { createResults, type KeptNotice } from "./results.ts";

interface Setup {
  readonly answer?: () => Promise<ToolResult> | ToolResult;
  readonly definition?: Partial<Tool>;
  readonly others?: readonly string[];
  readonly policy?: Policy;
  readonly surface?: Surface;
  readonly taskAfterMs?: number;
}

const lines = Array.from({ length: 2000 }, (_, index) => `line ${index + 1}`).join("\n");

/** A server core in front of a guard and one tool, `git__log`, whose results beyond 1,000 tokens are kept. */
async function openServer(setup: Setup = {}) {
  const { answer = () => textResult(lines), definition = {}, others = [], policy = {}, surface = "full" } = setup;
  const folder = await mkdtemp(join(tmpdir(), "offer-"));
  const call = async () => answer();
  const guarded = await startGuard({
    policy,
    tools: [testTool("log", definition)],
    source: { call, ...(setup.taskAfterMs !== undefined && { taskAfterMs: setup.taskAfterMs }) },
  });
  const { catalog, guard } = guarded;
  if (others.length > 0) catalog.add(testSource({ id: "bare", tools: others }));
  const kept: KeptNotice[] = [];
  const config = { maxTokens: 1000, keep: 60_000, maxBytes: 1_048_576 };
  const store = join(folder, "kept");
  const results = createResults({ folder: store, config, log: silentLog, onKept: (notice) => void kept.push(notice) })!;
  const view = catalog.view("all", { alphabet: "narrow" });
  const offer = createViewOffer({
    view,
    guard,
    door: "mcp-http",
    info: { name: "test", version: "1" },
    log: silentLog,
  });
  const openSearch = () => Promise.resolve(createToolSearch({ tools: () => catalog.tools() }));
  const shown = createSurfaces({ setting: surface, always: [], log: silentLog, openSearch }).wrap(offer, view);
  const server = createMcpServer(offerResults(shown, { results, view, guard, door: "mcp-http", log: silentLog }));
  return {
    ...guarded,
    server,
    store,
    kept,
    async [Symbol.asyncDispose]() {
      await results.close();
      await guarded[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const idIn = (result: ToolResult): string =>
  /clawport:\/\/results\/([0-9a-z-]+)/.exec(JSON.stringify(result))?.[1] ?? "";
const call = async (talk: Talk, name: string, args: object = {}) =>
  (await talk.modern("tools/call", { name, arguments: args })).result as ToolResult;
const namesOf = async (talk: Talk) =>
  (await talk.modern("tools/list")).result.tools.map(({ name }: Tool) => name) as string[];

test("clients of both eras get a preview and read the rest, each its own", async () => {
  await using subject = await openServer();
  const old = await negotiate(subject.server, "2025-06-18");
  const first = (await old.ask("tools/call", { name: "git__log", arguments: {} })).result as ToolResult;
  expect(first.content.map(({ type }) => type)).toEqual(["text", "resource_link"]);
  const modern = talkTo(subject.server, { principal: "anna" });
  const read = await call(modern, "read_result", { id: idIn(first), fromLine: 700, toLine: 701 });
  expect(read.content[0]).toEqual({ type: "text", text: "line 700\nline 701\n" });
  const other = talkTo(subject.server, { principal: "berta" });
  expect(await call(other, "read_result", { id: idIn(first) })).toMatchObject({ isError: true });
  const uri = `clawport://results/${idIn(first)}?offset=7&length=6`;
  expect((await modern.modern("resources/read", { uri })).result.contents).toMatchObject([{ uri, text: "line 2" }]);
  expect((await other.modern("resources/read", { uri })).error).toMatchObject({ data: { uri } });
  expect((await modern.modern("resources/read", { uri: "clawport://results/x?offset=-1" })).error.message).toContain(
    '"offset" must be a whole number',
  );
  expect(subject.kept).toMatchObject([{ tool: { name: "git__log" } }]);
  expect(subject.kept[0]?.size).toBeGreaterThan(15_000);
});

test("a task ends with a preview, in both eras", async () => {
  /** Each call is answered once its task is known. */
  const calls: (() => void)[] = [];
  await using subject = await openServer({
    definition: { execution: { taskSupport: "optional" } },
    taskAfterMs: 0,
    answer: async () => {
      await new Promise<void>((resolve) => calls.push(resolve));
      return textResult(lines);
    },
  });
  const old = await negotiate(subject.server, "2025-11-25");
  const { taskId } = (await old.ask("tools/call", { name: "git__log", arguments: {}, task: {} })).result.task;
  await until(() => calls.length === 1);
  calls[0]!();
  const ended = (await old.ask("tasks/result", { taskId })).result as ToolResult;
  expect(ended.content[0]).toMatchObject({ text: expect.stringContaining("in 2000 lines") });

  const talk = talkTo(subject.server);
  const able = { capabilities: withTasks };
  const { result } = await talk.modern("tools/call", { name: "git__log", arguments: {} }, able);
  await until(() => calls.length === 2);
  calls[1]!();
  const look = async () => (await talk.modern("tasks/get", { taskId: result.taskId }, able)).result;
  await until(async () => (await look()).status === "completed");
  const id = idIn((await look()).result);
  expect(await call(talk, "search_result", { id, query: "line 1999" })).toMatchObject({
    content: [{ text: "1997- line 1997\n1998- line 1998\n1999: line 1999\n2000- line 2000" }, {}],
  });
});

test("on the search surface both tools are listed, and calls through call_tool are kept as well", async () => {
  await using subject = await openServer({ surface: "search" });
  const talk = talkTo(subject.server);
  const own = ["read_result", "search_result"];
  expect(await namesOf(talk)).toEqual(["search_tools", "describe_tool", "call_tool", ...own]);
  const result = await call(talk, "call_tool", { name: "git__log", arguments: {} });
  const args = { id: idIn(result), fromLine: 9, toLine: 9 };
  expect(await call(talk, "read_result", args)).toMatchObject({ content: [{ text: "line 9\n" }, {}] });
  expect(await call(talk, "call_tool", { name: "read_result", arguments: args })).toMatchObject({
    content: [{ text: "line 9\n" }, {}],
  });
});

test("a server's tool of the same name keeps it, and previews name ours", async () => {
  await using subject = await openServer({ others: ["read_result"] });
  const talk = talkTo(subject.server);
  expect(await namesOf(talk)).toEqual(["read_result", "git__log", "clawport_read_result", "search_result"]);
  expect(await call(talk, "read_result")).toMatchObject({ content: [{ text: "read_result" }] });
  const result = await call(talk, "git__log");
  expect(JSON.stringify(result)).toContain("Read on with clawport_read_result {");
  const read = await call(talk, "clawport_read_result", { id: idIn(result), fromLine: 1, toLine: 1 });
  expect(read).toMatchObject({ content: [{ text: "line 1\n" }, {}] });
});

test("a server's tool of the same name that comes later renames ours on the search surface, and goes again", async () => {
  await using subject = await openServer({ surface: "search" });
  const talk = await negotiate(subject.server, "2025-11-25");
  const own = async () =>
    ((await talk.ask("tools/list")).result.tools as Tool[])
      .map(({ name }) => name)
      .filter((name) => /result/.test(name));
  const changes = () => talk.sent.filter(({ method }) => method === "notifications/tools/list_changed").length;
  expect(await own()).toEqual(["read_result", "search_result"]);
  const remove = subject.catalog.add(testSource({ id: "bare", tools: ["read_result"] }));
  await until(() => changes() === 1);
  expect(await own()).toEqual(["clawport_read_result", "search_result"]);
  remove();
  await until(() => changes() === 2);
  expect(await own()).toEqual(["read_result", "search_result"]);
});

test("a result of a hub behind this one is not found here, and the answer names the tools that read it", async () => {
  await using subject = await openServer();
  const talk = talkTo(subject.server);
  const now = { id: `${Date.now().toString(36)}-${"0".repeat(32)}` };
  expect(JSON.stringify(await call(talk, "read_result", now))).not.toContain("another hub");
  subject.catalog.add(testSource({ id: "up", prefix: "up", tools: ["read_result", "clawport_search_result"] }));
  for (const [tool, args, theirs] of [
    ["read_result", now, "up__read_result"],
    ["search_result", { ...now, query: "x" }, "up__clawport_search_result"],
  ] as const) {
    const { content } = await call(talk, tool, args);
    expect(content).toMatchObject([{ text: expect.stringContaining(`There is no result ${now.id} here for you.`) }]);
    expect(content).toMatchObject([
      { text: expect.stringContaining(`If another hub sent the preview, use ${theirs}.`) },
    ]);
  }
});

test("rules and the audit see both tools, and wrong arguments say what is wrong", async () => {
  const rules = [{ source: "results", tool: "search_result", verdict: "deny" }] as const;
  await using subject = await openServer({ policy: { rules: [...rules], preset: "strict" } });
  subject.person("once");
  const talk = talkTo(subject.server);
  const id = idIn(await call(talk, "git__log"));
  expect(await call(talk, "search_result", { id, query: "x" })).toMatchObject({ isError: true });
  expect((await call(talk, "read_result", { id, fromLine: 1 })).isError).toBeUndefined();
  const { entries } = subject;
  expect(entries.map(({ source, tool, outcome }) => `${source} ${tool} ${outcome}`)).toEqual([
    "git git__log ok",
    "results search_result denied",
    "results read_result ok",
  ]);
  const wrong = async (args: object) => JSON.stringify(await call(talk, "read_result", args));
  expect(await wrong({ id, fromLine: 0 })).toContain("Wrong arguments for read_result");
  expect(await wrong({ id, fromLine: 5, toLine: 4 })).toContain("must not be before");
  expect(await wrong({ id, fromLine: 1, offset: 1 })).toContain("not both");
  expect(await wrong({ id, fromLine: 2001 })).toContain("must be at most 2000");
  expect(await wrong({ id: `clawport://results/${id}`, offset: 1e9 })).toContain("must be at most");
});

test.each<[string, unknown]>([
  ["no content", { structuredContent: {} }],
  ["blocks that are none", { content: [null, { type: "text" }, { type: "resource" }, 7] }],
  ["a text that is a number", { content: [{ type: "text", text: 5 }] }],
])("a result with %s is passed on as it is", async (_, odd) => {
  await using subject = await openServer({ answer: () => odd as ToolResult });
  expect(await call(talkTo(subject.server), "git__log")).toMatchObject(odd as object);
});

test("what can't be kept is sent whole: a disk that refuses, a value too deep to write", async () => {
  await using subject = await openServer();
  await writeFile(subject.store, "not a folder");
  expect((await call(talkTo(subject.server), "git__log")).content).toEqual([{ type: "text", text: lines }]);

  let deep: unknown = "x".repeat(10_000);
  for (let depth = 0; depth < 20_000; depth++) deep = [deep];
  const answer = () => ({ content: [{ type: "text", text: "deep" } as const], structuredContent: deep });
  await using other = await openServer({ answer, definition: { outputSchema: { type: "array" } } });
  const response = await talkTo(other.server)
    .say({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "git__log" } })
    .catch((error: unknown) => error);
  // The answer itself is too deep for JSON, with and without us.
  expect(response).toBeInstanceOf(RangeError);
});

test("large structured content of a server that sends no blocks is kept as well", async () => {
  await using subject = await openServer({ answer: () => ({ structuredContent: { lines } }) as unknown as ToolResult });
  const result = await call(talkTo(subject.server), "git__log");
  expect(result.structuredContent).toBeUndefined();
  expect(result.content.map(({ type }) => type)).toEqual(["text", "resource_link"]);
});

test("structured content is measured in bytes, as text is", async () => {
  const structuredContent = { rows: Array.from({ length: 400 }, (_, id) => `第${id}行`) };
  expect(JSON.stringify(structuredContent).length).toBeLessThan(4000);
  const answer = () => ({ content: [{ type: "text", text: "400 rows" } as const], structuredContent });
  await using subject = await openServer({ answer });
  const result = await call(talkTo(subject.server), "git__log");
  expect(result.structuredContent).toBeUndefined();
  expect(result.content.map(({ type }) => type)).toEqual(["text", "text", "resource_link"]);
});

test("where there is nothing to call, neither tool is listed", async () => {
  await using subject = await openServer();
  const talk = talkTo(subject.server);
  expect(await namesOf(talk)).toEqual(["git__log", "read_result", "search_result"]);
  subject.source.offer([]);
  await until(async () => (await namesOf(talk)).length === 0);
});

test("no name is listed twice beside a server that has both of the usual names", async () => {
  await using subject = await openServer({ others: ["read_result", "clawport_read_result"] });
  const talk = talkTo(subject.server);
  const names = await namesOf(talk);
  expect(names.toSorted()).toEqual(
    ["clawport2_read_result", "clawport_read_result", "git__log", "read_result", "search_result"].toSorted(),
  );
  expect(await call(talk, "clawport_read_result")).toMatchObject({ content: [{ text: "clawport_read_result" }] });
  const result = await call(talk, "git__log");
  const read = await call(talk, "clawport2_read_result", { id: idIn(result), fromLine: 1, toLine: 1 });
  expect(read).toMatchObject({ content: [{ text: "line 1\n" }, {}] });
});
