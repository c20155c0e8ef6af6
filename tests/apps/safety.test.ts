import { once } from "node:events";
import { describe, expect, test } from "vitest";
import { until } from "../support/until.ts";
import { bearer, type Created, echoTool, registration, startProxy } from "./start-proxy.ts";
import { openApp, openSocket } from "../support/apps/test-app.ts";

const tokens = { OPENCLAW_PROXY_APP_TOKEN: "app-secret", OPENCLAW_PROXY_OPENCLAW_TOKEN: "claw-secret" };

describe("a session's own tokens", () => {
  test("open its bridge, and another session's don't", async () => {
    await using proxy = await startProxy({ env: tokens });
    const mine = await proxy.create();
    const other = await proxy.create();
    const codeWith = async (token: string) => {
      const app = await openApp(mine.bridge_url, { headers: bearer(token) });
      return (await app.closed).code;
    };
    expect(await codeWith(other.bridge_token)).toBe(4401);
    await using app = await openApp(mine.bridge_url, { headers: bearer(mine.bridge_token) });
    expect(await proxy.call(mine, "echo_text", { text: "a" })).toBe('{"echoed_text":"a"}');
    expect(app.messages).toHaveLength(1);
  });

  test("keep the shared token from taking over a bridge that was opened with them", async () => {
    await using proxy = await startProxy({ env: tokens });
    const mine = await proxy.create();
    await using app = await openApp(mine.bridge_url, { headers: bearer(mine.bridge_token) });
    const intruder = await openApp(mine.bridge_url, { headers: bearer("app-secret") });
    expect((await intruder.closed).code).toBe(4401);
    expect(app.ws.readyState).toBe(app.ws.OPEN);
  });

  test("come as a WebSocket subprotocol from browsers, which can't send headers", async () => {
    await using proxy = await startProxy({ env: tokens });
    const session = await proxy.create();
    await using app = await openApp(session.bridge_url, {
      protocols: ["clawport.bridge", `bearer.${session.bridge_token}`],
    });
    expect([app.ws.readyState, app.ws.protocol]).toEqual([app.ws.OPEN, "clawport.bridge"]);
  });

  test("open the MCP side of their session and of no other", async () => {
    await using proxy = await startProxy({ env: tokens });
    const mine = await proxy.create();
    const other = await proxy.create();
    const status = async (session: Created, token: string) =>
      (await proxy.rpc(session, "tools/list", {}, bearer(token))).status;
    expect(await status(mine, mine.mcp_token)).toBe(200);
    expect(await status(other, mine.mcp_token)).toBe(401);
    expect(await status(mine, mine.bridge_token)).toBe(401);
  });

  test("are named in the error beside the shared one, whether or not the session exists", async () => {
    await using proxy = await startProxy({ env: tokens });
    const { mcp_url } = await proxy.create();
    const refused = async (url: string) => (await proxy.rpc({ mcp_url: url } as Created, "tools/list", {}, {})).body;
    const { error } = await refused(mcp_url);
    expect(error.message).toContain("(OPENCLAW_PROXY_OPENCLAW_TOKEN), or the mcp_token of the session");
    expect(await refused(`${proxy.address}/v1/mcp/AAAAAAAAAAAAAAAAAAAAAA`)).toMatchObject({ error });
  });

  test("are the only ones that open a session with own_tokens_only", async () => {
    await using proxy = await startProxy({ env: tokens });
    const session = await proxy.create({ own_tokens_only: true });
    const status = async (token: string) => (await proxy.rpc(session, "tools/list", {}, bearer(token))).status;
    expect([await status("claw-secret"), await status(session.mcp_token)]).toEqual([401, 200]);
    const path = `/v1/chat/sessions/${session.mcpSessionId}`;
    expect((await proxy.ask("DELETE", path, undefined, bearer("app-secret"))).status).toBe(401);
    expect((await proxy.ask("DELETE", path, undefined, bearer(session.bridge_token))).status).toBe(200);
  });

  test("are told apart from a shared token of the same form", async () => {
    const lookalike = "A".repeat(32);
    await using proxy = await startProxy({ env: { ...tokens, OPENCLAW_PROXY_OPENCLAW_TOKEN: lookalike } });
    const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    const status = async (token: string) => (await proxy.ask("POST", "/v1/mcp", list, bearer(token))).status;
    // The shared token lacks a session, the other one belongs to a session that is gone.
    expect([await status(lookalike), await status("B".repeat(32))]).toEqual([400, 404]);
  });
});

describe("web pages", () => {
  const page = { origin: "https://app.example.com" };

  test("are refused on every path while their origin is not allowed", async () => {
    await using proxy = await startProxy();
    const session = await proxy.create();
    expect((await proxy.ask("POST", "/v1/chat/sessions", registration, page)).status).toBe(403);
    expect((await proxy.rpc(session, "tools/list", {}, page)).status).toBe(403);
    const [, response] = await once(openSocket(session.bridge_url, { headers: page }), "unexpected-response");
    expect(response.statusCode).toBe(403);
  });

  test("of an allowed origin may send a preflight, register and connect", async () => {
    await using proxy = await startProxy({ allowedOrigins: [page.origin] });
    const asked = await proxy.ask("OPTIONS", "/v1/chat/sessions", undefined, page);
    expect([asked.status, asked.headers.get("access-control-allow-origin")]).toEqual([204, page.origin]);
    const session = await proxy.create({}, page);
    await using app = await openApp(session.bridge_url, { headers: page });
    expect(app.ws.readyState).toBe(app.ws.OPEN);
  });

  test("can't send a registration as a form", async () => {
    await using proxy = await startProxy();
    const body = JSON.stringify(registration);
    expect((await proxy.ask("POST", "/v1/chat/sessions", body, { "content-type": "text/plain" })).status).toBe(415);
  });
});

describe("limits", () => {
  const deep = (levels: number): object => (levels === 0 ? {} : { properties: { a: deep(levels - 1) } });
  test.each([
    ["too many tools", { tools: Array.from({ length: 129 }, (_, at) => ({ ...echoTool, name: `t${at}` })) }, "128"],
    ["too long a text in a definition", { tools: [{ ...echoTool, description: "x".repeat(20_000) }] }, "16384"],
    ["too large a definition", { tools: [{ ...echoTool, input_schema: { enum: ["x".repeat(70_000)] } }] }, "65536"],
    ["too deep a schema", { tools: [{ ...echoTool, input_schema: deep(200) }] }, "too deep"],
    [
      "a remote reference in a schema",
      { tools: [{ ...echoTool, input_schema: { $ref: "https://x.example/s" } }] },
      "can't be used",
    ],
    ["an invalid name", { tools: [{ ...echoTool, name: "a b" }] }, "letters"],
    ["too long a text about the device", { device_id: "x".repeat(600) }, "512"],
  ])("%s is refused with an error that says what is wrong", async (_, parts, said) => {
    await using proxy = await startProxy();
    const { status, body } = await proxy.ask("POST", "/v1/chat/sessions", { ...registration, ...parts });
    expect(status).toBe(400);
    expect(body.detail).toContain(said);
  });

  test("too large a body or message of an app is cut off, and others are still served", async () => {
    await using proxy = await startProxy();
    const huge = { ...registration, device_id: "x".repeat(5 * 1024 * 1024) };
    expect((await proxy.ask("POST", "/v1/chat/sessions", huge)).status).toBe(413);
    const session = await proxy.create();
    await using app = await openApp(session.bridge_url);
    app.send(`"${"x".repeat(73 * 1024 * 1024)}"`);
    expect((await app.closed).code).toBe(1009);
    expect((await proxy.rpc(session, "tools/list")).status).toBe(200);
  });

  test("the rates of requests to one session and of new sessions are limited separately", async () => {
    await using proxy = await startProxy({ requestsPerSecond: 1, sessionsPerSecond: 1 });
    const [one, other] = [await proxy.create(), await proxy.create()];
    const refused = await proxy.ask("POST", "/v1/chat/sessions", registration);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"]);
    const statuses: number[] = [];
    for (const session of [one, one, one, other]) statuses.push((await proxy.rpc(session, "tools/list")).status);
    expect(statuses).toEqual([200, 200, 429, 200]);
    expect(await proxy.metrics()).toContain('clawport_app_events_total{event="rate limited"} 2');
  });

  test("an app that sends too many messages is disconnected", async () => {
    await using proxy = await startProxy();
    const session = await proxy.create();
    await using app = await openApp(session.bridge_url);
    // Each heartbeat resets the count, and one may come in between.
    for (let sent = 0; sent <= 20_000; sent++) app.send('{"type":"pong"}');
    expect((await app.closed).code).toBe(4429);
  });

  test.each([["{"], ["[]"], ['{"type":"invoke_result"}'], ['{"type":"invoke_result","request_id":"a"}']])(
    "an app that sends %s is disconnected for a malformed message",
    async (text) => {
      await using proxy = await startProxy();
      const session = await proxy.create();
      await using app = await openApp(session.bridge_url);
      app.send(text);
      expect((await app.closed).code).toBe(4400);
    },
  );

  test("calls beyond the limit of running calls are refused before the app sees them", async () => {
    await using proxy = await startProxy();
    const session = await proxy.create();
    await using app = await openApp(session.bridge_url, { tools: {} });
    const waiting = Array.from({ length: 64 }, () => proxy.call(session, "echo_text"));
    await until(() => app.messages.length === 64);
    expect(await proxy.call(session, "echo_text")).toMatch(/^!The app is already running 64 calls/);
    for (const { request_id } of app.messages) app.result(request_id, { ok: true, content: "done" });
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(["done"]));
  });
});

test("the list of sessions shows whole ids only for the operator token", async () => {
  await using shared = await startProxy({ env: tokens });
  const session = await shared.create();
  const listed = await shared.ask("GET", "/v1/chat/sessions", undefined, bearer("app-secret"));
  expect(listed.body.sessions[0]).toMatchObject({ device_name: "desktop", tools: 1, bridge_connected: false });
  expect(JSON.stringify(listed.body)).not.toContain(session.mcpSessionId);
  await using own = await startProxy({ env: { ...tokens, OPENCLAW_PROXY_OPERATOR_TOKEN: "boss" } });
  const { mcpSessionId } = await own.create();
  expect((await own.ask("GET", "/v1/chat/sessions", undefined, bearer("app-secret"))).status).toBe(401);
  const { body } = await own.ask("GET", "/v1/chat/sessions", undefined, bearer("boss"));
  expect(body.sessions[0].mcpSessionId).toBe(mcpSessionId);
});
