import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { negotiate, type Talk, talkTo } from "../../../../tests/support/mcp/talk.ts";
import { startGuard } from "../../../../tests/support/start-guard.ts";
import { testTool } from "../../../../tests/support/test-source.ts";
import { until } from "../../../../tests/support/until.ts";
import type { CallContext } from "../../../catalog/call-context.ts";
import { createToolSearch } from "../../../catalog/search/tool-search.ts";
import type { Policy } from "../../../core/config/policy-config.ts";
import { silentLog } from "../../../core/log.ts";
import { errorResult, textResult, type Tool, type ToolResult } from "../../../mcp/messages/tool.ts";
import { createMcpServer } from "../../../mcp/server/mcp-server.ts";
import { createScripts } from "../../../scripts/scripts.ts";
import { createDoorOffer } from "../door-offer.ts";
import { createResults } from "../results/results.ts";
import type { Surface } from "../surface/choose-surface.ts";
import { createSurfaces } from "../surface/surfaces.ts";

interface Setup {
  readonly policy?: Policy;
  readonly surface?: Surface;
  readonly setting?: "auto" | "on" | "off";
  call?(name: string, args: never, context: CallContext): Promise<ToolResult>;
}

const tools: readonly Tool[] = [
  testTool("issues", {
    description: "Lists issues.",
    inputSchema: { type: "object", properties: { page: { type: "integer" } }, required: ["page"] },
    outputSchema: { type: "object", properties: { titles: { type: "array", items: { type: "string" } } } },
  }),
  testTool("push"),
];

const answers: Record<string, (args: { readonly page: number }) => ToolResult> = {
  issues: ({ page }) => ({ content: [], structuredContent: { titles: [`one of ${page}`, `two of ${page}`] } }),
  push: () => textResult('{"id":12345678901234567890}'),
};

/** A server core in front of a guard and two tools of `git`, with scripts and results beyond 1,000 tokens kept. */
async function openServer({ policy = {}, surface = "search", setting = "auto", call }: Setup = {}) {
  const folder = await mkdtemp(join(tmpdir(), "scripts-"));
  const answer = (name: string, args: unknown) => Promise.resolve(answers[name]!(args as never));
  const guarded = await startGuard({ policy, tools, source: { call: (call as never) ?? answer } });
  const { catalog, guard } = guarded;
  const config = { maxTokens: 1000, keep: 60_000, maxBytes: 1_048_576 };
  const results = createResults({ folder, config, log: silentLog, onKept: () => {} })!;
  const openSearch = () => Promise.resolve(createToolSearch({ tools: () => catalog.tools() }));
  const limits = { timeout: 60_000, parallel: 2, maxCalls: 50, memoryMb: 32 };
  const scripts = createScripts({ config: limits, log: silentLog });
  const offer = createDoorOffer({
    view: catalog.view("all", { alphabet: "narrow" }),
    guard,
    door: "mcp-http",
    info: { name: "test", version: "1" },
    log: silentLog,
    results: { results },
    surfaces: createSurfaces({ setting: surface, always: [], log: silentLog, openSearch }),
    scripts: { setting: () => setting, open: () => Promise.resolve(scripts) },
  });
  return {
    ...guarded,
    scripts,
    server: createMcpServer(offer),
    async [Symbol.asyncDispose]() {
      await scripts.close();
      await results.close();
      await guarded[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const call = async (talk: Talk, name: string, args: object = {}) =>
  (await talk.modern("tools/call", { name, arguments: args })).result as ToolResult;
const run = async (talk: Talk, code: string, more: object = {}) => call(talk, "run_script", { code, ...more });
const textOf = ({ content }: ToolResult) =>
  content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
const namesOf = async (talk: Talk) =>
  (await talk.modern("tools/list")).result.tools.map(({ name }: Tool) => name) as string[];

test.each([
  ["search", "auto", true],
  ["search", "off", false],
  ["full", "auto", false],
  ["full", "on", true],
] as const)("surface %s, scripts %s: offered is %s", async (surface, setting, isOffered) => {
  await using subject = await openServer({ surface, setting });
  const talk = talkTo(subject.server);
  expect((await namesOf(talk)).includes("run_script")).toBe(isOffered);
  const { error, result } = await talk.modern("tools/call", { name: "run_script", arguments: { code: "return 1" } });
  expect(error === undefined ? textOf(result) : error.message).toContain(isOffered ? "1" : "Unknown tool");
});

test("many calls take one step, and each is in the audit under its tool, with the script", async () => {
  await using subject = await openServer();
  const talk = talkTo(subject.server);
  const code = `const pages: number[] = [1, 2, 3];
    const found = await Promise.all(pages.map((page) => tools.git.issues({ page })));
    console.log(found.length);
    return found.flatMap((each) => each.titles).filter((title) => title.startsWith(input.start));`;
  expect(textOf(await run(talk, code, { input: { start: "one" } }))).toBe(
    '["one of 1","one of 2","one of 3"]\n[console]\n3',
  );
  const lines = subject.entries.map(({ tool, source, outcome, caller }) => [
    tool,
    source,
    outcome,
    caller.script?.id.slice(0, 2),
  ]);
  expect(lines).toEqual([
    ...Array.from({ length: 3 }, () => ["git__issues", "git", "ok", "s_"]),
    ["run_script", "scripts", "ok", undefined],
  ]);
  expect(new Set(subject.entries.slice(0, 3).map(({ caller }) => caller.script?.id)).size).toBe(1);
});

test("numbers beyond 2^53 arrive as BigInt and leave as digits", async () => {
  await using subject = await openServer();
  const code = "const { id } = await tools.git__push(); return [typeof id, id + 1n]";
  expect(textOf(await run(talkTo(subject.server), code))).toBe('["bigint",12345678901234567891]');
});

test("refusals, wrong arguments and failures are errors that the script can catch", async () => {
  const policy: Policy = { rules: [{ tool: "git__push", verdict: "deny", reason: "not on Fridays" }] };
  await using subject = await openServer({ policy });
  const code = `const codes = [];
    for (const attempt of [() => tools.git.push(), () => tools.git.issues({ page: "x" }), () => tools.git.nothing(), () => tools.git.issues(7)])
      await attempt().catch(({ code, tool, message }) => codes.push([code, tool, message]));
    return codes;`;
  expect(JSON.parse(textOf(await run(talkTo(subject.server), code)))).toEqual([
    ["denied", "git.push", expect.stringContaining("not on Fridays")],
    ["bad-params", "git.issues", expect.stringContaining("page")],
    ["unknown-tool", "git.nothing", expect.stringContaining("tools.search")],
    ["bad-params", "git.issues", expect.stringContaining("one object")],
  ]);
});

test("a failure names its line, and what a tool reported", async () => {
  await using subject = await openServer({ call: () => Promise.resolve(errorResult("the disk is full")) });
  const failed = await run(talkTo(subject.server), "\n\nawait tools.git.push()");
  expect(failed.isError).toBe(true);
  expect(textOf(failed)).toContain("at line 3: ToolError: the disk is full (tool git.push)");
});

test("shell text and prose get an example with the tool that was just searched", async () => {
  await using subject = await openServer();
  const talk = talkTo(subject.server);
  expect(textOf(await run(talk, "ls -la | grep issues"))).toContain("not shell commands or prose");
  expect(textOf(await call(talk, "search_tools", { query: "list issues" }))).toContain(
    "In run_script: await tools.git.issues(",
  );
  expect(textOf(await run(talk, "Please list the issues."))).toContain('await tools.git.issues({ "page": 1 })');
});

test("a script can search, and read declarations", async () => {
  await using subject = await openServer();
  const code = 'return [await tools.search("list issues"), await tools.describe("git.issues")]';
  const [found, declaration] = JSON.parse(textOf(await run(talkTo(subject.server), code))) as [string, string];
  expect(found).toContain("git__issues(page: integer)");
  const shown = await call(talkTo(subject.server), "describe_tool", { name: "git__issues", as: "typescript" });
  expect(textOf(shown)).toBe(declaration);
  expect(declaration).toBe(
    "/** Lists issues. */\ntools.git.issues(args: {\n  page: number;\n}): Promise<{\n  titles?: string[];\n}>",
  );
});

test("a large value goes by reference, which the next script reads whole", async () => {
  await using subject = await openServer();
  const talk = talkTo(subject.server);
  const preview = textOf(await run(talk, 'return "line\\n".repeat(5000)'));
  const id = /clawport:\/\/results\/([0-9a-z-]+)/.exec(preview)?.[1];
  expect(textOf(await run(talk, "return (await results.read(input)).length", { input: id }))).toBe("25000");
});

test("the client of a script is asked what a call of it asks, in both eras", async () => {
  const ask = async (_name: string, _args: never, context: CallContext) => {
    const params = { mode: "form", message: "Which branch?", requestedSchema: { type: "object", properties: {} } };
    const { content } = await context.ask({ method: "elicitation/create", params } as never);
    return textResult(`branch ${(content as { readonly branch: string }).branch}`);
  };
  await using subject = await openServer({ call: ask });
  const code = "return tools.git.push()";
  const answer = { action: "accept", content: { branch: "main" } };

  const old = await negotiate(subject.server, "2025-11-25", { elicitation: {} });
  const running = old.ask("tools/call", { name: "run_script", arguments: { code } });
  await until(() => old.sent.some(({ method }) => method === "elicitation/create"));
  const { id } = old.sent.find(({ method }) => method === "elicitation/create")!;
  await old.say({ jsonrpc: "2.0", id, result: answer });
  expect(textOf((await running).result)).toBe("branch main");

  const modern = talkTo(subject.server);
  const facts = { capabilities: { elicitation: {} } };
  const params = { name: "run_script", arguments: { code } };
  const { result: first } = await modern.modern("tools/call", params, facts);
  expect(first.resultType).toBe("input_required");
  const [key] = Object.keys(first.inputRequests);
  const more = { ...params, requestState: first.requestState, inputResponses: { [key!]: answer } };
  expect(textOf((await modern.modern("tools/call", more, facts)).result)).toBe("branch main");
});

test("a question about a call shows it, and the script around it", async () => {
  await using subject = await openServer({
    policy: { rules: [{ tool: "git__push", verdict: "ask", reason: "it writes" }] },
  });
  const questions = subject.person("once");
  const code = "const branch = 'main';\nreturn tools.git.push({ branch });";
  expect(textOf(await run(talkTo(subject.server), code))).toContain("12345678901234567890");
  expect(questions).toHaveLength(1);
  expect(questions[0]!.text).toContain("git__push");
  expect(questions[0]!.text).toContain("> 2  return tools.git.push({ branch });");
});

test("progress reaches the client, and cancelling stops the script and its call", async () => {
  let signal: AbortSignal | undefined;
  const hang = (_name: string, _args: never, context: CallContext) =>
    new Promise<ToolResult>((_resolve, reject) => {
      signal = context.signal;
      context.signal.addEventListener("abort", () => reject(new Error("stopped")));
    });
  await using subject = await openServer({ call: hang });
  const talk = await negotiate(subject.server, "2025-11-25");
  const code = 'progress("half way", 0.5); return tools.git.push()';
  const running = talk.ask("tools/call", { name: "run_script", arguments: { code }, _meta: { progressToken: 7 } });
  await until(() => signal !== undefined);
  const notices = talk.sent.filter(({ method }) => method === "notifications/progress");
  expect(notices[0]?.params).toMatchObject({ progressToken: 7, message: "half way (50 %)" });
  talk.notify("notifications/cancelled", { requestId: talk.lastId() });
  await until(() => signal!.aborted);
  await running;
  expect(subject.scripts.list()[0]?.end).toMatchObject({ kind: "failed", reason: "cancelled" });
});

test("a client that knows tasks gets one, and script_result shows a script to its owner alone", async () => {
  const waiting: (() => void)[] = [];
  const wait = () => new Promise<ToolResult>((resolve) => waiting.push(() => resolve(textResult("done"))));
  await using subject = await openServer({ call: wait });
  const old = await negotiate(subject.server, "2025-11-25");
  const params = { name: "run_script", arguments: { code: "return tools.git.push()" }, task: {} };
  const { taskId } = (await old.ask("tools/call", params)).result.task;
  await until(() => waiting.length === 1);
  const [script] = subject.scripts.list();
  expect(textOf(await call(talkTo(subject.server), "script_result"))).toContain(`${script!.id} `);
  expect(
    textOf(await call(talkTo(subject.server, { principal: "berta" }), "script_result", { id: script!.id })),
  ).toContain("You have no script");
  waiting[0]!();
  expect(textOf((await old.ask("tasks/result", { taskId })).result)).toBe("done");
  expect(textOf(await call(talkTo(subject.server), "script_result", { id: script!.id }))).toBe("done");
});
