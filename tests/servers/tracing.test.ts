import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadConfig } from "../../src/core/config/load-config.ts";
import { openHome } from "../../src/core/files/home.ts";
import { createLiveLog } from "../../src/core/log.ts";
import { openHub } from "../support/open-hub.ts";
import { type ReceivedSpan, startCollector } from "../support/otlp-collector.ts";
import { testContext } from "../support/test-source.ts";
import { openRogueHttp } from "./fixtures/rogue-http.ts";
import { openRogueSse } from "./fixtures/rogue-sse.ts";
import { openTraceServer, type SeenTrace } from "./fixtures/trace-server.ts";
import { startEngine } from "../support/start-engine.ts";
import { program } from "../setup/programs.ts";
import { reachTool } from "../../src/catalog/guard/reach-source.ts";

const callerTrace = "4bf92f3577b34da6a3ce929d0e0e4736";
const traceparent = `00-${callerTrace}-00f067aa0ba902b7-01`;
const fromCaller = { traceparent, tracestate: "vendor=1", baggage: "tenant=a" };
const kinds = { internal: 1, server: 2, client: 3 };

/** A hub with the same server over HTTP and over stdio, and a person who allows everything. */
async function startTracedHub(env: Record<string, string> = {}) {
  const collector = await startCollector();
  const server = await openTraceServer();
  const folder = await mkdtemp(join(tmpdir(), "tracing-"));
  const stdio = { command: process.execPath, args: [program("tests/servers/fixtures/trace-server.ts")] };
  const rules = ["ask", "deny"].map((verdict) => ({ tool: `*${verdict}`, verdict }));
  const text = JSON.stringify({ servers: { http: { url: `${server.origin}/mcp` }, stdio }, policy: { rules } });
  const { config } = await loadConfig({ path: join(folder, "clawport.json5"), text, env: {} });
  const hub = await openHub({
    home: await openHome(folder),
    configuration: { config },
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_METRICS_EXPORTER: "none", ...env },
    log: createLiveLog({ level: "error", format: "human", write: (line) => process.stderr.write(line) }),
    version: "0.0.0",
    port: 0,
    askers: [{ id: "person", kind: "console", available: () => true, ask: () => Promise.resolve("once") }],
  });
  await hub.settled(10_000);
  const token = (await readFile(hub.tokenPath, "utf8")).trim();
  return {
    async request(at: string, method: string, params: object, headers: object = {}): Promise<Record<string, unknown>> {
      const response = await fetch(`${hub.url}/${at}`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${token}`, ...headers },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      });
      const body = await response.text();
      // A stream if the caller was told that the call waits for approval.
      const answers = body.startsWith("{") ? [body] : [...body.matchAll(/^data: (\{.*)$/gm)].map(([, data]) => data!);
      return JSON.parse(answers.at(-1)!);
    },
    /** The spans of everything that was called. Closes the hub. */
    async spans(): Promise<ReceivedSpan[]> {
      await hub.close();
      return collector.spans();
    },
    async [Symbol.asyncDispose]() {
      await hub.close();
      await server[Symbol.asyncDispose]();
      await collector[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** What the server says in its answer, whichever method it answers. */
function seenIn({ result }: Record<string, unknown>): SeenTrace {
  const text = /"text":("(?:[^"\\]|\\.)*")/.exec(JSON.stringify(result))![1]!;
  return JSON.parse(JSON.parse(text) as string) as SeenTrace;
}

function spanOf(spans: readonly ReceivedSpan[], kind: keyof typeof kinds, name?: string): ReceivedSpan {
  const found = spans.filter((span) => span.kind === kinds[kind] && (name === undefined || span.name === name));
  expect(found).toHaveLength(1);
  return found[0]!;
}

const requests = [
  { method: "tools/call", params: { name: "look", arguments: {} }, target: " look" },
  { method: "resources/read", params: { uri: "" }, target: "" },
  { method: "prompts/get", params: { name: "tell" }, target: " tell" },
];

test.each(["http", "stdio"].flatMap((at) => requests.map((request) => ({ at, ...request }))))(
  "$method at a server over $at is one trace: door, guard, upstream",
  async ({ at, method, params, target }) => {
    await using hub = await startTracedHub();
    const listed = await hub.request(at, "resources/list", {});
    const [resource] = (listed.result as { resources: { uri: string }[] }).resources;
    const sent = "uri" in params ? { uri: resource!.uri } : params;
    const seen = seenIn(await hub.request(at, method, { ...sent, _meta: fromCaller }));
    const spans = await hub.spans();
    expect(spans.map(({ traceId }) => traceId)).toEqual([callerTrace, callerTrace, callerTrace]);
    // The door knows a tool by its name in the catalog.
    const shown = method === "tools/call" ? ` ${at}__look` : target;
    const door = spanOf(spans, "server", `${method}${shown}`);
    const guard = spanOf(spans, "internal", "guard");
    const upstream = spanOf(spans, "client", `${method}${target}`);
    expect(door.parentSpanId).toBe("00f067aa0ba902b7");
    expect(guard.parentSpanId).toBe(door.spanId);
    expect(upstream.parentSpanId).toBe(guard.spanId);
    expect(guard.attributes).toMatchObject({ "clawport.verdict": "allow", "clawport.source": at });
    expect(upstream.attributes).toMatchObject({
      "mcp.method.name": method,
      "clawport.source": at,
      "network.transport": at === "http" ? "tcp" : "pipe",
    });
    for (const { status } of spans) expect(status).toEqual({});

    const passedOn = { ...fromCaller, traceparent: `00-${callerTrace}-${upstream.spanId}-01` };
    expect(seen.meta).toEqual(passedOn);
    expect(seen.headers).toEqual(at === "http" ? passedOn : {});
  },
);

test("a denied call is marked as such and has no upstream span", async () => {
  await using hub = await startTracedHub();
  await hub.request("http", "tools/call", { name: "deny", arguments: {} });
  const spans = await hub.spans();
  expect(spans).toHaveLength(2);
  for (const kind of ["server", "internal"] as const) {
    const { status, attributes } = spanOf(spans, kind);
    expect(status).toMatchObject({ code: 2, message: "denied" });
    expect(attributes).toMatchObject({ "error.type": "denied" });
  }
  expect(spanOf(spans, "internal").attributes).toMatchObject({ "clawport.verdict": "deny" });
});

test("a call that a person approved shows the wait as a span of its own", async () => {
  await using hub = await startTracedHub();
  seenIn(await hub.request("http", "tools/call", { name: "ask", arguments: {} }));
  const spans = await hub.spans();
  const guard = spanOf(spans, "internal", "guard");
  expect(guard.attributes).toMatchObject({ "clawport.verdict": "ask" });
  const wait = spanOf(spans, "internal", "wait for approval");
  expect(wait.parentSpanId).toBe(guard.spanId);
  expect(wait.attributes).toEqual({ "clawport.answer": "once", "clawport.answered_by": "console" });
  expect(spanOf(spans, "client").parentSpanId).toBe(guard.spanId);
});

test("a tool that reports an error fails the door's and the upstream span, and the guard's is fine", async () => {
  await using hub = await startTracedHub();
  await hub.request("http", "tools/call", { name: "fail", arguments: {} });
  const spans = await hub.spans();
  expect(spanOf(spans, "internal").status).toEqual({});
  for (const kind of ["server", "client"] as const) {
    expect(spanOf(spans, kind)).toMatchObject({ status: { code: 2 }, attributes: { "error.type": "tool_error" } });
  }
});

test("a trace that came in headers goes on in headers and `_meta`, with telemetry and without", async () => {
  const look = { name: "look", arguments: {} };
  for (const env of [{}, { OTEL_SDK_DISABLED: "true" }]) {
    await using hub = await startTracedHub(env);
    const seen = seenIn(await hub.request("http", "tools/call", look, fromCaller));
    const upstream = (await hub.spans()).find(({ kind }) => kind === kinds.client);
    const parent = upstream?.spanId ?? "00f067aa0ba902b7";
    const passedOn = { ...fromCaller, traceparent: `00-${callerTrace}-${parent}-01` };
    expect(seen).toEqual({ headers: passedOn, meta: passedOn });
  }
});

test("a new trace begins without the state of a trace that is not valid, and no header takes what it can't hold", async () => {
  await using hub = await startTracedHub();
  const look = { name: "look", arguments: {} };
  const broken = { ...fromCaller, traceparent: "nonsense" };
  const begun = seenIn(await hub.request("http", "tools/call", { ...look, _meta: broken }));
  expect(Object.keys(begun.meta).toSorted()).toEqual(["baggage", "traceparent"]);
  expect(begun.headers).toEqual({ traceparent: begun.meta.traceparent, baggage: "tenant=a" });
  const smuggled = { ...fromCaller, tracestate: "a=1\r\nx-evil: 1" };
  const kept = seenIn(await hub.request("http", "tools/call", { ...look, _meta: smuggled }));
  expect(kept.headers).toEqual({ traceparent: expect.stringContaining(callerTrace), baggage: "tenant=a" });
});

test("baggage goes on without a trace, over stdio in `_meta`, and not beyond what W3C Baggage allows", async () => {
  await using hub = await startTracedHub({ OTEL_SDK_DISABLED: "true" });
  const look = { name: "look", arguments: {} };
  const withHeader = async (at: string, baggage: string) =>
    seenIn(await hub.request(at, "tools/call", look, { baggage }));
  const carried = { baggage: "tenant=a;p=1,user=%C3%A9" };
  expect(await withHeader("http", carried.baggage)).toEqual({ headers: carried, meta: carried });
  expect(await withHeader("stdio", carried.baggage)).toEqual({ headers: {}, meta: carried });
  const entries = Array.from({ length: 181 }, (_, at) => `k${at}=1`);
  expect((await withHeader("http", entries.slice(1).join())).headers.baggage).toHaveLength(
    entries.slice(1).join().length,
  );
  for (const tooMuch of [entries.join(), `k=${"x".repeat(8191)}`])
    expect(await withHeader("http", tooMuch)).toEqual({ headers: {}, meta: {} });
  const smuggled = { ...look, _meta: { baggage: "a=1\r\nx-evil: 1" } };
  expect(seenIn(await hub.request("http", "tools/call", smuggled)).headers).toEqual({});
});

test("a modern server gets the trace beside the headers that repeat the request", async () => {
  await using rogue = await openRogueHttp("modern");
  await using engine = await startEngine({ rogue: { url: rogue.url } });
  const tool = engine.catalog.find("rogue__write")!;
  await reachTool(tool, {}).run({ ...testContext(), ...fromCaller, meta: fromCaller });
  const { headers, message } = rogue.seen.find(({ what }) => what === "tools/call")!;
  expect(headers).toMatchObject({ ...fromCaller, "mcp-method": "tools/call", "mcp-name": "write" });
  expect(headers).not.toHaveProperty("origin");
  expect(message.params._meta).toMatchObject(fromCaller);
});

test("a server over HTTP+SSE gets the trace in headers, too", async () => {
  await using rogue = await openRogueSse({ postStatus: 405 });
  await using engine = await startEngine({ rogue: { url: rogue.url } });
  const tool = engine.catalog.find("rogue__write")!;
  const { baggage: _, ...trace } = fromCaller;
  await reachTool(tool, {}).run({ ...testContext(), ...trace });
  expect(rogue.traces).toEqual([trace]);
});
