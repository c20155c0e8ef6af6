import { request } from "node:http";
import { afterEach, expect, test } from "vitest";
import { startGuard } from "../../../tests/support/start-guard.ts";
import { until } from "../../../tests/support/until.ts";
import { createCatalog } from "../../catalog/catalog.ts";
import type { Source } from "../../catalog/source.ts";
import { silentLog } from "../../core/log.ts";
import { createMetrics } from "../../core/telemetry/metrics.ts";
import { textResult } from "../../mcp/messages/tool.ts";
import type { TokenMatch } from "./gate.ts";
import { type HttpDoor, openHttpDoor } from "./http-door.ts";

const tokens = new Map<string, TokenMatch>([
  ["main-token", { name: "main" }],
  ["one-view", { name: "phone", view: "notes" }],
  ["relay-key", { name: "main", key: "relay" }],
  ["control-key", { name: "main", key: "control" }],
]);
const json = { authorization: "Bearer main-token", "content-type": "application/json" };
const ofRelay = { ...json, authorization: "Bearer relay-key" };
let door: HttpDoor | undefined;
afterEach(() => door?.close(100));

test("the whole catalog is at / and /mcp, one source under bare names at /mcp/<source>", async () => {
  await openDoor();
  expect(await toolNames("/")).toEqual(["clock__now", "notes__add"]);
  expect(await toolNames("/mcp")).toEqual(["clock__now", "notes__add"]);
  expect(await toolNames("/mcp/notes")).toEqual(["add"]);
});

test("a call goes through the guard, which knows the token's name and that it came from this machine", async () => {
  const { calls } = await openDoor();
  const answer = await rpc("/mcp/notes", "tools/call", { name: "add", arguments: { text: "milk" } });
  expect(answer).toMatchObject({ result: { content: [{ text: "add milk" }] } });
  expect(calls).toEqual([{ tool: "notes__add", caller: { door: "mcp-http", token: "main", isLocal: true } }]);
});

test("the guard knows what a token is limited to; where a client's token is used does not matter", async () => {
  const { calls } = await openDoor();
  const headers = { ...json, authorization: "Bearer one-view" };
  const params = { name: "add", arguments: { text: "milk" } };
  for (const path of ["/mcp", "/mcp/notes"]) await rpc(path, "tools/call", params, headers);
  const call = { tool: "notes__add", caller: { door: "mcp-http", token: "phone", view: "notes" } };
  expect(calls).toEqual([call, call]);
});

test("a token for one view gives access to that view only", async () => {
  await openDoor();
  const headers = { ...json, authorization: "Bearer one-view" };
  expect(await toolNames("/mcp", headers)).toEqual(["add"]);
  expect((await send("POST", "/mcp/clock", headers, "{}")).status).toBe(403);
  expect((await send("GET", "/metrics", headers)).status).toBe(403);
});

test("a process of the owner gets the servers only, as a caller over stdio; a token does not", async () => {
  const { catalog, calls } = await openDoor();
  catalog.add({ ...sourceOf("agent", "order"), kind: "agent" });
  expect(await toolNames("/mcp?relay=stdio", ofRelay)).toEqual(["clock__now", "notes__add"]);
  expect(await toolNames("/mcp?relay=stdio&only=notes,agent", ofRelay)).toEqual(["notes__add"]);
  expect(await toolNames("/mcp?other=1")).toContain("clock__now");
  await rpc("/mcp?relay=stdio", "tools/call", { name: "notes__add", arguments: { text: "milk" } }, ofRelay);
  expect(calls).toEqual([{ tool: "notes__add", caller: { door: "mcp-stdio", token: "stdio" } }]);
  for (const token of ["one-view", "main-token"]) {
    const headers = { ...json, authorization: `Bearer ${token}` };
    expect((await send("POST", "/mcp?relay=stdio", headers, list)).status).toBe(409);
  }
});

test("a command of the owner counts as a caller at a terminal; a token can't do that, nor a relay", async () => {
  const { calls } = await openDoor();
  const ofCommand = { ...json, authorization: "Bearer control-key" };
  await rpc("/mcp?relay=cli", "tools/call", { name: "notes__add", arguments: { text: "milk" } }, ofCommand);
  expect(calls).toEqual([{ tool: "notes__add", caller: { door: "cli" } }]);
  for (const [presented, status] of [
    ["one-view", 409],
    ["main-token", 409],
    ["relay-key", 403],
  ] as const) {
    const headers = { ...json, authorization: `Bearer ${presented}` };
    expect((await send("POST", "/mcp?relay=cli", headers, list)).status).toBe(status);
  }
});

test.each([
  [undefined, "Send the header Authorization: Bearer <token>. Run `clawport token show` to print the token.\n"],
  [
    "Bearer guessed",
    "This token is not valid. It may have been removed or replaced: run `clawport token show` to print the token.\n",
  ],
])("without the token (%s) the refusal says what to do, at / without a body", async (authorization, advice) => {
  await openDoor();
  const headers = { "content-type": "application/json", ...(authorization === undefined ? {} : { authorization }) };
  for (const [method, path] of [
    ["POST", "/mcp"],
    ["POST", "/mcp/notes"],
    ["GET", "/metrics"],
    ["GET", "/"],
  ] as const) {
    const refused = await send(method, path, headers, method === "POST" ? "{}" : undefined);
    expect(refused.status).toBe(401);
    expect(refused.headers["www-authenticate"]).toMatch(/^Bearer realm=".*`clawport token show`/);
    expect(refused.headers["access-control-allow-origin"]).toBeUndefined();
    expect(/error="invalid_token"/.test(String(refused.headers["www-authenticate"]))).toBe(authorization !== undefined);
    expect(refused.body).toBe(path === "/" ? "" : advice);
  }
});

test("GET / says that the hub is running, GET /metrics is Prometheus text, other paths say where MCP is", async () => {
  await openDoor();
  expect((await send("GET", "/", json)).body).toContain("Clawport 1.2.3 is running.\n2 tools from 2 sources:");
  expect((await send("GET", "/metrics", json)).body).toContain('clawport_connections{door="mcp-http"}');
  const lost = await send("GET", "/elsewhere", json);
  expect(lost).toMatchObject({ status: 404 });
  expect(lost.body).toContain("/mcp");
});

test("an unknown source is 404 until it is added", async () => {
  const { catalog } = await openDoor();
  const unknown = await send("POST", "/mcp/late", json, list);
  expect(unknown.status).toBe(404);
  const message = "There is no such source. Run `clawport servers` to list the servers.";
  expect(JSON.parse(unknown.body).error).toEqual({ code: -32600, message });
  catalog.add(sourceOf("late", "ring"));
  expect(await toolNames("/mcp/late")).toEqual(["ring"]);
});

test("the whole catalog has the instructions of all sources under their names, one source has its own", async () => {
  const { catalog } = await openDoor();
  catalog.add({ ...sourceOf("bell", "ring"), instructions: () => "Not at night." });
  const instructionsAt = async (path: string) => {
    const answer = await rpc(path, "initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: {} });
    return (answer as { result: { instructions?: string } }).result.instructions;
  };
  expect(await instructionsAt("/mcp")).toBe("## bell\n\nNot at night.");
  expect(await instructionsAt("/mcp/bell")).toBe("Not at night.");
  expect(await instructionsAt("/mcp/notes")).toBeUndefined();
});

test("the source gets the trace context of the request, for a read as for a call", async () => {
  const { catalog } = await openDoor();
  const traces: (string | undefined)[] = [];
  catalog.add({
    ...sourceOf("shelf", "look"),
    call: (_, __, { traceparent }) => Promise.resolve(textResult(String(traces.push(traceparent)))),
    resources: () => [{ uri: "shelf:book", name: "book" }],
    readResource: (uri, { traceparent }) =>
      Promise.resolve({ contents: [{ uri, text: String(traces.push(traceparent)) }] }),
  });
  const _meta = { traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01" };
  await rpc("/mcp/shelf", "tools/call", { name: "look", arguments: {}, _meta });
  await rpc("/mcp/shelf", "resources/read", { uri: "shelf:book", _meta });
  expect(traces).toEqual([_meta.traceparent, _meta.traceparent]);
});

test("closing waits for running requests", async () => {
  const { calls } = await openDoor();
  const answer = rpc("/mcp/notes", "tools/call", { name: "add", arguments: { text: "slow" } });
  await until(() => calls.length === 1);
  await door?.close(2000);
  expect(await answer).toMatchObject({ result: { content: [{ text: "add slow" }] } });
});

test("a port in use is a fault that says what to do", async () => {
  await openDoor();
  const port = door!.port;
  await expect(openDoor(port)).rejects.toMatchObject({ code: "conflict", message: expect.stringContaining("--port") });
});

const list = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });

async function openDoor(port = 0) {
  const catalog = createCatalog();
  catalog.add(sourceOf("notes", "add"));
  catalog.add(sourceOf("clock", "now"));
  const calls: object[] = [];
  const { guard } = await startGuard();
  const opened = await openHttpDoor({
    host: "127.0.0.1",
    port,
    catalog,
    tokens: { match: (presented) => tokens.get(presented) },
    info: { name: "clawport", title: "Clawport", version: "1.2.3" },
    log: silentLog,
    metrics: createMetrics(),
    guard: {
      ...guard,
      call(tool, args, context) {
        calls.push({ tool: tool.name, caller: context.caller });
        return guard.call(tool, args, context);
      },
    },
  });
  door = opened;
  return { catalog, calls };
}

function sourceOf(id: string, tool: string): Source {
  const tools = [{ name: tool, inputSchema: { type: "object" } }];
  return {
    id,
    kind: "server",
    prefix: id,
    tools: () => tools,
    async call(name, args) {
      const { text } = args as { text: string };
      if (text === "slow") await new Promise((resolve) => setTimeout(resolve, 150));
      return textResult(`${name} ${text}`);
    },
    onChange: () => () => {},
    close: () => Promise.resolve(),
  };
}

async function toolNames(path: string, headers: Record<string, string> = json): Promise<string[]> {
  const answer = JSON.parse((await send("POST", path, headers, list)).body) as {
    result: { tools: { name: string }[] };
  };
  return answer.result.tools.map((tool) => tool.name);
}

async function rpc(path: string, method: string, params: object, headers = json): Promise<unknown> {
  return JSON.parse(
    (await send("POST", path, headers, JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }))).body,
  );
}

function send(method: string, path: string, headers: Record<string, string>, body?: string) {
  return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; body: string }>((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port: door!.port, method, path, headers, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => (text += chunk));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}
