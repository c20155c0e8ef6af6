import { readFile } from "node:fs/promises";
import { request } from "node:http";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect, test, vi } from "vitest";
import type { Source } from "../../../src/catalog/source.ts";
import { textResult, type ToolResult } from "../../../src/mcp/messages/tool.ts";
import { testSource, testTool } from "../../support/test-source.ts";
import { until } from "../../support/until.ts";
import { type Browser, openEvents, send, startConsoleHub } from "./console-hub.ts";

vi.setConfig({ testTimeout: 30_000 });

type Line = Readonly<Record<string, unknown>> & { readonly type: string };

const linesOf = (text: string): Line[] =>
  text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);

function source(call: Source["call"], ...names: string[]): Source {
  return testSource({ id: "lab", tools: names.map((name) => testTool(name)), call });
}

test("a call streams its progress and then its result, and is in the audit as one of the console", async () => {
  const lab = source(async (name, args, context) => {
    context.progress({ progress: 1, total: 2, message: "half" });
    context.tell({ level: "info", data: "working" });
    return textResult(`${name} ${JSON.stringify(args)}`);
  }, "run");
  await using hub = await startConsoleHub({ sources: [lab] });
  const browser = await hub.signIn();
  const { text, headers } = await browser.post("call", { tool: "run", arguments: { a: 1 } });
  expect(headers["content-type"]).toContain("application/x-ndjson");
  expect(linesOf(text)).toEqual([
    { type: "progress", progress: 1, total: 2, message: "half" },
    { type: "log", level: "info", data: "working" },
    { type: "result", result: expect.objectContaining({ content: [{ type: "text", text: 'run {"a":1}' }] }) as object },
  ]);
  expect(await browser.ask("audit.search")).toMatchObject({ lines: [{ door: "console", tool: "run", outcome: "ok" }] });
});

test("arguments are checked before the call, and an unknown tool is refused", async () => {
  const strict = testTool("strict", {
    inputSchema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
  });
  const lab = testSource({ id: "lab", tools: [strict] });
  await using hub = await startConsoleHub({ sources: [lab] });
  const browser = await hub.signIn();
  expect((await browser.post("call", { tool: "strict", arguments: { n: "one" } })).status).toBe(400);
  expect((await browser.post("call", { tool: "nothing", arguments: {} })).status).toBe(404);
  expect((await browser.post("call", { tool: "strict", arguments: [] })).status).toBe(400);
  expect((await browser.post("call", {})).status).toBe(400);
  expect(lab.calls).toEqual([]);
});

test("closing the request cancels the call", async () => {
  const signals: AbortSignal[] = [];
  const lab = source((_, __, { signal }) => {
    signals.push(signal);
    return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
  }, "slow");
  await using hub = await startConsoleHub({ sources: [lab] });
  const browser = await hub.signIn();
  const body = JSON.stringify({ tool: "slow", arguments: {} });
  const headers = browser.headers("POST", "call", body);
  const sent = request(`${hub.address}/console/api/call`, { method: "POST", headers, agent: false });
  sent.on("error", () => {});
  sent.end(body);
  await once(sent, "response");
  await until(() => signals.length === 1);
  sent.destroy();
  await until(() => signals[0]!.aborted);
  const lines = async () => (await browser.ask<{ lines: { outcome: string }[] }>("audit.search")).lines;
  await until(async () => (await lines()).length > 0);
  expect(await lines()).toMatchObject([{ outcome: "cancelled" }]);
});

test("a question of a tool reaches the page, and only its own session can answer", async () => {
  const lab = source(async (_, __, context) => {
    const reply = await context.ask({ method: "elicitation/create", params: { message: "Which?" } });
    return textResult(JSON.stringify(reply));
  }, "ask");
  await using hub = await startConsoleHub({ sources: [lab] });
  const [browser, other] = [await hub.signIn(), await hub.signIn()];
  const body = JSON.stringify({ tool: "ask", arguments: {} });
  const headers = browser.headers("POST", "call", body);
  const sent = request(`${hub.address}/console/api/call`, { method: "POST", headers, agent: false });
  sent.end(body);
  const [response] = (await once(sent, "response")) as [NodeJS.ReadableStream];
  const lines: Line[] = [];
  const reader = createInterface({ input: response });
  reader.on("line", (line) => lines.push(JSON.parse(line) as Line));
  await until(() => lines.length === 1);
  expect(lines[0]).toMatchObject({ type: "question", method: "elicitation/create", params: { message: "Which?" } });
  const answer = { id: lines[0]!["id"], answer: { action: "accept", content: { it: "this" } } };
  expect((await other.post("answer", answer)).status).toBe(404);
  expect((await browser.post("answer", { ...answer, answer: { action: "perhaps" } })).status).toBe(400);
  expect((await browser.post("answer", answer)).status).toBe(200);
  await until(() => lines.length === 2);
  expect(JSON.stringify(lines[1])).toContain("this");
  expect((await browser.post("answer", answer)).status).toBe(404);
});

test("media of a result are fetched on their own, sandboxed, and as nothing that runs", async () => {
  const png = Buffer.from("89504e470d0a1a0a", "hex");
  const svg = "<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>";
  const result: ToolResult = {
    content: [
      { type: "image", data: png.toString("base64"), mimeType: "image/png" },
      { type: "image", data: Buffer.from(svg).toString("base64"), mimeType: "image/svg+xml" },
      { type: "audio", data: "AAAA", mimeType: "text/html\r\nset-cookie: a=b" },
      { type: "resource", resource: { uri: "file:///a.pdf", blob: "AAAA", mimeType: "text/html" } },
      { type: "text", text: "<img src=x onerror=alert(1)>" },
    ],
  };
  await using hub = await startConsoleHub({ sources: [source(async () => result, "draw")] });
  const [browser, other] = [await hub.signIn(), await hub.signIn()];
  const [line] = linesOf((await browser.post("call", { tool: "draw", arguments: {} })).text);
  const { content } = line!["result"] as { content: Record<string, unknown>[] };
  const ids = content.slice(0, 4).map((block) => String(block["media"] ?? (block["resource"] as Line)["media"]));
  expect(JSON.stringify(content)).not.toContain(png.toString("base64"));
  const fetched = await Promise.all(ids.map((id) => browser.get(`media/${id}`)));
  expect(fetched.map(({ headers }) => headers["content-type"])).toEqual([
    "image/png",
    "application/octet-stream",
    "application/octet-stream",
    "application/octet-stream",
  ]);
  for (const { status, headers } of fetched) {
    expect(status).toBe(200);
    expect(headers["content-security-policy"]).toContain("sandbox");
    expect(headers).toMatchObject({ "x-content-type-options": "nosniff", "content-disposition": "attachment" });
    expect(headers["set-cookie"]).toBeUndefined();
  }
  expect((await other.get(`media/${ids[0]}`)).status).toBe(404);
  // They are kept only while the page is open.
  const page = await openEvents(browser);
  await until(() => page.events.length > 0);
  page[Symbol.dispose]();
  await until(async () => (await browser.get(`media/${ids[0]}`)).status === 404);
  expect((await send(`${hub.address}/console/api/media/${ids[0]}`)).status).toBe(403);
});

test("events: everything once, then what changes; the next window gets everything again", async () => {
  const lab = testSource({ id: "lab", tools: ["run"] });
  await using hub = await startConsoleHub({ sources: [lab] });
  const browser = await hub.signIn();
  using first = await openEvents(browser);
  await until(() =>
    ["status", "servers", "approvals", "attention", "apps", "config"].every((type) => first.find(type).length > 0),
  );
  expect(first.events[0]).toMatchObject({ type: "hello", version: "1.2.3", mayChange: true });
  using looking = await openEvents(await hub.signIn(false));
  await until(() => looking.find("config").length > 0);
  expect(looking.events[0]).toMatchObject({ type: "hello", mayChange: false });
  lab.offer([testTool("run"), testTool("walk")]);
  await until(() => first.find("tools-changed").length > 0);
  await browser.post("call", { tool: "walk", arguments: {} });
  await until(() => first.find("audit").length > 0);
  const [audit] = first.find("audit") as { lines: { id: string; tool: string }[] }[];
  expect(audit!.lines).toMatchObject([{ tool: "walk" }]);
  expect(await browser.ask("audit.steps", { id: audit!.lines[0]!.id })).toMatchObject({ line: { tool: "walk" } });
});

test("a call of another client waits for the page, which answers for its person", async () => {
  const lab = testSource({ id: "lab", tools: ["run"] });
  await using hub = await startConsoleHub({
    sources: [lab],
    config: '{ policy: { rules: [{ tool: "run", verdict: "ask" }] } }',
  });
  const token = (await readFile(hub.tokenPath, "utf8")).trim();
  const call = () => callTool(hub.mcpUrl, token, "run");
  // With no page open, there is no one to ask.
  expect(await call()).toContain("no one is available");
  const looking = await hub.signIn(false);
  using watching = await openEvents(looking);
  await until(() => watching.find("approvals").length > 0);
  expect(await call()).toContain("no one is available");

  const browser = await hub.signIn();
  using events = await openEvents(browser);
  await until(() => events.find("approvals").length > 0);
  const id = async (): Promise<string> => {
    let found: string | undefined;
    await until(async () => (found = await waitingId(browser)) !== undefined);
    return found!;
  };
  const allowed = call();
  const waiting = await id();
  await until(() => events.find("attention").some(({ attention }) => JSON.stringify(attention).includes(waiting)));
  expect((await looking.post("approvals.approve", { id: waiting, answer: "once", confirmed: true })).status).toBe(403);
  await browser.ask("approvals.approve", { id: waiting, answer: "once" });
  expect(await allowed).toContain('"text":"run"');
  const refused = call();
  await browser.ask("approvals.approve", { id: await id(), answer: "no" });
  expect(await refused).toContain("isError");
  expect(lab.calls).toHaveLength(1);
});

async function waitingId(browser: Browser): Promise<string | undefined> {
  const attention = await browser.ask<{ kind: string; subject: string }[]>("status.attention");
  return attention.find(({ kind }) => kind === "approval")?.subject;
}

async function callTool(url: string, token: string, name: string): Promise<string> {
  const { text } = await send(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      authorization: `Bearer ${token}`,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: {} } }),
  });
  return text;
}
