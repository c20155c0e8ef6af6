import { expect, test } from "vitest";
import { silentLog } from "../../src/core/log.ts";
import { until } from "../support/until.ts";
import { bearer, echoTool, registration, startProxy } from "./start-proxy.ts";
import { openApp } from "../support/apps/test-app.ts";

const tokens = { OPENCLAW_PROXY_APP_TOKEN: "app-secret", OPENCLAW_PROXY_OPENCLAW_TOKEN: "claw-secret" };

test("opening a session returns its id, its bridge address and its MCP address", async () => {
  await using proxy = await startProxy();
  const { status, body } = await proxy.ask("POST", "/v1/chat/sessions", registration);
  const { host } = new URL(proxy.address);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    mcpSessionId: expect.stringMatching(/^[A-Za-z0-9_-]{22}$/),
    bridge_url: `ws://${host}/v1/chat/sessions/${body.mcpSessionId}/bridge`,
    mcp_url: `http://${host}/v1/mcp/${body.mcpSessionId}`,
  });
});

test("a call goes to the app as invoke_tool and comes back as the tool's result", async () => {
  await using proxy = await startProxy();
  const session = await proxy.create();
  await using app = await openApp(session.bridge_url);
  const { body } = await proxy.rpc(session, "tools/call", { name: "echo_text", arguments: { text: "hello" } });
  expect(app.messages).toEqual([
    {
      type: "invoke_tool",
      mcpSessionId: session.mcpSessionId,
      request_id: `${session.mcpSessionId}:1`,
      tool_name: "echo_text",
      arguments: { text: "hello" },
    },
  ]);
  expect(body.result).toMatchObject({
    content: [{ type: "text", text: '{"echoed_text":"hello"}' }],
    structuredContent: { echoed_text: "hello" },
  });
});

test("an app may name its session in the result, as the contract says", async () => {
  await using proxy = await startProxy();
  const session = await proxy.create();
  const { mcpSessionId } = session;
  await using _ = await openApp(session.bridge_url, {
    tools: { echo_text: (__, { request_id }, app) => app.result(request_id, { mcpSessionId, ok: true, content: "x" }) },
  });
  expect(await proxy.call(session, "echo_text")).toBe("x");
});

test("the registered tools are listed with their schemas, and never their paths", async () => {
  await using proxy = await startProxy();
  const session = await proxy.create();
  const { body } = await proxy.rpc(session, "tools/list");
  const { name, description, input_schema: inputSchema } = echoTool;
  expect(body.result.tools).toEqual([{ name, description, inputSchema }]);
});

test.each(["/v1/mcp", "/v1/mcp/"])(
  "%s finds the session by the header MCP-Session-Id, without a redirect",
  async (path) => {
    await using proxy = await startProxy();
    const session = await proxy.create();
    await using _ = await openApp(session.bridge_url);
    const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "echo_text", arguments: {} } };
    const { status, body } = await proxy.ask("POST", path, message, { "mcp-session-id": session.mcpSessionId });
    expect([status, body.result.isError]).toEqual([200, undefined]);
    expect((await proxy.ask("POST", path, message)).status).toBe(400);
    expect((await proxy.ask("POST", path, message, { "mcp-session-id": "nobody" })).status).toBe(404);
  },
);

test("an unknown session in the path is not found", async () => {
  await using proxy = await startProxy();
  const { status, body } = await proxy.ask("POST", "/v1/mcp/nobody", { jsonrpc: "2.0", id: 1, method: "tools/list" });
  expect([status, body.error.code]).toEqual([404, -32001]);
});

test("initialize opens no MCP session, however the app's session is named", async () => {
  await using proxy = await startProxy();
  const session = await proxy.create();
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "x", version: "1" } };
  const byPath = await proxy.rpc(session, "initialize", params);
  const header = { "mcp-session-id": session.mcpSessionId };
  const message = { jsonrpc: "2.0", id: 1, method: "initialize", params };
  const byHeader = await proxy.ask("POST", "/v1/mcp", message, header);
  expect([byPath.status, byHeader.status]).toEqual([200, 200]);
  expect([byPath, byHeader].map(({ headers }) => headers.get("mcp-session-id"))).toEqual([null, null]);
});

test("a client's DELETE leaves the app's session alone", async () => {
  await using proxy = await startProxy();
  const session = await proxy.create();
  await using _ = await openApp(session.bridge_url);
  const header = { "mcp-session-id": session.mcpSessionId };
  expect((await proxy.ask("DELETE", session.mcp_url, undefined, header)).status).toBe(204);
  expect((await proxy.ask("DELETE", "/v1/mcp", undefined, header)).status).toBe(204);
  expect(await proxy.call(session, "echo_text", { text: "a" })).toBe('{"echoed_text":"a"}');
});

test("GET /health returns ok in plain text, without a token", async () => {
  await using proxy = await startProxy({ env: tokens });
  const { status, headers, body } = await proxy.ask("GET", "/health");
  expect([status, headers.get("content-type"), body]).toEqual([200, "text/plain; charset=utf-8", "ok"]);
});

test("a wrong method gets an error that names the right ones, whatever the body", async () => {
  await using proxy = await startProxy();
  const { mcp_url: address } = await proxy.create();
  const text = { "content-type": "text/plain" };
  expect(await proxy.ask("POST", "/health", "x", text)).toMatchObject({
    status: 405,
    body: { detail: "Use GET here." },
  });
  const put = await proxy.ask("PUT", address, {});
  expect([put.status, put.headers.get("allow")]).toEqual([405, "GET, POST, DELETE"]);
  expect(put.body).toMatchObject({
    error: { message: expect.stringMatching(/^Use POST, GET with Accept: text\/event-stream, or DELETE/) },
  });
});

test("invalid tools in PATCH get an error that does not speak of registering", async () => {
  await using proxy = await startProxy();
  const { mcpSessionId } = await proxy.create();
  const replaced = await proxy.ask("PATCH", `/v1/chat/sessions/${mcpSessionId}`, { tools: 7 });
  expect([replaced.status, replaced.body]).toEqual([
    400,
    { detail: "The tools were rejected: `tools` must be a list.", code: "bad-params" },
  ]);
});

test("deleting a session closes its bridge, and its addresses return 404", async () => {
  await using proxy = await startProxy();
  const session = await proxy.create();
  await using app = await openApp(session.bridge_url);
  const path = `/v1/chat/sessions/${session.mcpSessionId}`;
  expect(await proxy.ask("DELETE", path)).toMatchObject({ status: 200, body: { ok: true } });
  expect(await app.closed).toEqual({ code: 4410, reason: "session deleted" });
  expect((await proxy.rpc(session, "tools/list")).status).toBe(404);
  expect((await proxy.ask("DELETE", path)).status).toBe(404);
});

test("without a bridge a call fails at once and says why", async () => {
  await using proxy = await startProxy();
  const session = await proxy.create();
  expect(await proxy.call(session, "echo_text")).toBe("!Bridge is not connected");
  const app = await openApp(session.bridge_url);
  await app[Symbol.asyncDispose]();
  await expect.poll(() => proxy.call(session, "echo_text")).toBe("!Bridge is not connected");
});

test("a bridge that closes normally leaves no warning in the log", async () => {
  const lines: string[] = [];
  const note = (message: string) => void lines.push(message);
  await using proxy = await startProxy({ log: { ...silentLog, warn: note, error: note } });
  const session = await proxy.create();
  const app = await openApp(session.bridge_url);
  expect(await proxy.call(session, "echo_text", { text: "a" })).toBe('{"echoed_text":"a"}');
  app.ws.close(1000);
  await app.closed;
  await expect.poll(() => proxy.call(session, "echo_text")).toBe("!Bridge is not connected");
  expect(lines).toEqual([]);
});

test("the app token opens the app's side and not the MCP side, and the other way round", async () => {
  await using proxy = await startProxy({ env: tokens });
  const session = await proxy.create();
  const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  const path = `/v1/chat/sessions/${session.mcpSessionId}`;
  const statuses = async (headers: Record<string, string>) => [
    (await proxy.ask("POST", "/v1/chat/sessions", registration, headers)).status,
    (await proxy.ask("POST", session.mcp_url, list, headers)).status,
    (await proxy.ask("POST", "/v1/mcp", list, { ...headers, "mcp-session-id": session.mcpSessionId })).status,
    (await proxy.ask("DELETE", `${path}x`, undefined, headers)).status,
  ];
  expect(await statuses({})).toEqual([401, 401, 401, 401]);
  expect(await statuses(bearer("app-secret"))).toEqual([200, 401, 401, 404]);
  expect(await statuses(bearer("claw-secret"))).toEqual([401, 200, 200, 401]);
  expect((await proxy.ask("DELETE", path, undefined, bearer("app-secret"))).status).toBe(200);
});

test("an empty token leaves its side open, and only its side", async () => {
  await using proxy = await startProxy({ env: { OPENCLAW_PROXY_OPENCLAW_TOKEN: "claw-secret" } });
  const session = await proxy.create();
  await using app = await openApp(session.bridge_url);
  expect(app.ws.readyState).toBe(app.ws.OPEN);
  expect(await proxy.call(session, "echo_text", { text: "a" })).toBe('{"echoed_text":"a"}');
  expect((await proxy.rpc(session, "tools/list", {}, {})).status).toBe(401);
});

test("the bridge closes with 4401 for a wrong token and with 4404 for an unknown session", async () => {
  await using proxy = await startProxy({ env: tokens });
  const session = await proxy.create();
  const unknown = session.bridge_url.replace(session.mcpSessionId, "nobody");
  const codes: number[] = [];
  for (const [url, headers] of [
    [session.bridge_url, {}],
    [session.bridge_url, bearer("claw-secret")],
    [unknown, bearer("wrong")],
    [unknown, bearer("app-secret")],
  ] as const) {
    const app = await openApp(url, { headers });
    codes.push((await app.closed).code);
  }
  expect(codes).toEqual([4401, 4401, 4401, 4404]);
  await using app = await openApp(session.bridge_url, { headers: bearer("app-secret") });
  expect(await proxy.call(session, "echo_text", { text: "a" })).toBe('{"echoed_text":"a"}');
  expect(app.messages).toHaveLength(1);
});

test("a session expires after its time to live", async () => {
  await using proxy = await startProxy({ env: { OPENCLAW_PROXY_SESSION_TTL_SECONDS: "2" } });
  const session = await proxy.create();
  expect((await proxy.rpc(session, "tools/list")).status).toBe(200);
  await expect.poll(async () => (await proxy.rpc(session, "tools/list")).status).toBe(404);
});

test("a call that takes too long ends, the app gets a cancel message, and its late result is dropped and counted", async () => {
  await using proxy = await startProxy({ env: { OPENCLAW_PROXY_TOOL_TIMEOUT_SECONDS: "0.05" } });
  const session = await proxy.create();
  await using app = await openApp(session.bridge_url, { tools: {} });
  expect(await proxy.call(session, "echo_text")).toMatch(/^!The app did not answer in time\. .*unknown/);
  const { request_id } = await app.wait("cancel_tool");
  expect(request_id).toBe(`${session.mcpSessionId}:1`);
  app.result(request_id, { ok: true, content: "late" });
  await expect.poll(() => proxy.metrics()).toContain('clawport_app_events_total{event="late result"} 1');
});

test.each([
  ["a string", { error: "no such file" }, "!no such file"],
  ["an object with a message", { error: { code: 7, message: "no such file" } }, "!no such file"],
  ["an object without one", { error: { code: 7 } }, '!{"code":7}'],
  ["no reason", {}, "!The app reported that the tool failed, but gave no reason."],
])("a tool that fails with %s becomes an error result", async (_, parts, text) => {
  await using proxy = await startProxy();
  const session = await proxy.create();
  await using __ = await openApp(session.bridge_url, {
    tools: { echo_text: (___, { request_id }, app) => app.result(request_id, { ok: false, ...parts }) },
  });
  expect(await proxy.call(session, "echo_text")).toBe(text);
});

test("tool names are unique within a session", async () => {
  await using proxy = await startProxy();
  const { status, body } = await proxy.ask("POST", "/v1/chat/sessions", {
    ...registration,
    tools: [echoTool, echoTool],
  });
  expect(status).toBe(400);
  expect(body.detail).toContain('"echo_text" is listed twice');
});

test("arguments that don't match the tool's schema never reach the app", async () => {
  await using proxy = await startProxy();
  const session = await proxy.create();
  await using app = await openApp(session.bridge_url);
  expect(await proxy.call(session, "echo_text", { text: 7 })).toMatch(/^!Wrong arguments for echo_text/);
  expect(app.messages).toEqual([]);
});

test("addresses start with the public URL, else with Host and a trusted X-Forwarded-Proto", async () => {
  await using proxy = await startProxy();
  const plain = await proxy.create({}, { "x-forwarded-proto": "https" });
  expect([plain.bridge_url.slice(0, 6), plain.mcp_url.slice(0, 6)]).toEqual(["wss://", "https:"]);
  await using named = await startProxy({ publicUrl: "https://tools.example.com/" });
  const { mcpSessionId, bridge_url, mcp_url } = await named.create();
  expect(bridge_url).toBe(`wss://tools.example.com/v1/chat/sessions/${mcpSessionId}/bridge`);
  expect(mcp_url).toBe(`https://tools.example.com/v1/mcp/${mcpSessionId}`);
});

test("a pong is accepted with and without the session's id", async () => {
  await using proxy = await startProxy({ heartbeatMs: 1000 });
  const session = await proxy.create();
  await using app = await openApp(session.bridge_url, { deaf: true });
  const ping = await app.wait("ping");
  expect(ping).toEqual({ type: "ping", mcpSessionId: session.mcpSessionId });
  app.send({ type: "pong" });
  await until(() => app.messages.length === 2);
  app.send({ type: "pong", mcpSessionId: session.mcpSessionId });
  await until(() => app.messages.length === 3);
  expect(await proxy.metrics()).not.toContain("malformed");
});
