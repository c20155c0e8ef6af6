import { expect, test } from "vitest";
import { startProxy } from "./start-proxy.ts";
import { openApp } from "../support/apps/test-app.ts";

const deep = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);

test.each([
  ["a result", `"type":"invoke_result","ok":true,"content":${deep(20_000)}`],
  ["an error", `"type":"invoke_result","ok":false,"error":${deep(20_000)}`],
  ["a log line", `"type":"invoke_log","data":${deep(20_000)}`],
])("%s nested too deep closes the bridge of its app, and others are still served", async (_what, fields) => {
  await using proxy = await startProxy();
  const [bad, good] = await Promise.all([proxy.create(), proxy.create()]);
  await using app = await openApp(bad.bridge_url, { tools: {} });
  await using _ = await openApp(good.bridge_url);
  const called = proxy.call(bad, "echo_text");
  const { request_id } = await app.wait("invoke_tool");
  app.send(`{"request_id":${JSON.stringify(request_id)},${fields}}`);
  expect((await app.closed).code).toBe(4400);
  expect(await called).toMatch(/^!The bridge was lost after the call was sent/);
  expect(await proxy.call(good, "echo_text", { text: "served" })).toBe('{"echoed_text":"served"}');
});

test.each([
  ["the tools", `{"tools":${deep(5000)}}`],
  ["a schema", `{"tools":[{"name":"a","input_schema":{"default":${deep(5000)}}}]}`],
])("a registration in which %s are nested too deep is refused", async (_what, body) => {
  await using proxy = await startProxy();
  const answer = await proxy.ask("POST", "/v1/chat/sessions", body);
  expect([answer.status, answer.body]).toEqual([
    400,
    { detail: "The tools were rejected: `tools` is nested too deep.", code: "bad-params" },
  ]);
});

test("an app that is slow to close its bridge does not hold up calls that wait for the next one", async () => {
  await using proxy = await startProxy({ env: { OPENCLAW_PROXY_BRIDGE_GRACE_SECONDS: "20" } });
  const session = await proxy.create();
  const leaving = await openApp(session.bridge_url, { tools: {} });
  // The proxy has got the close frame, but the connection stays open: this end reads nothing any more.
  leaving.ws.close(1000);
  leaving.ws.pause();
  const calls = Array.from({ length: 8 }, (_, n) => proxy.call(session, "echo_text", { text: `${n}` }));
  expect((await proxy.ask("GET", "/health")).text).toBe("ok");
  await using _ = await openApp(session.bridge_url);
  expect(await Promise.all(calls)).toEqual(calls.map((_call, n) => `{"echoed_text":"${n}"}`));
  leaving.ws.terminate();
});

test("every refusal is counted under its own event", async () => {
  const env = { OPENCLAW_PROXY_APP_TOKEN: "app-secret", OPENCLAW_PROXY_OPENCLAW_TOKEN: "claw-secret" };
  await using proxy = await startProxy({ env });
  const session = await proxy.create();
  const app = { authorization: "Bearer app-secret" };
  const claw = { authorization: "Bearer claw-secret" };
  const statuses = [
    await proxy.ask("POST", "/v1/chat/sessions", {}),
    await proxy.ask("POST", "/v1/chat/sessions", { tools: 7 }, app),
    await proxy.ask("POST", "/v1/chat/sessions", "{", app),
    await proxy.ask("POST", "/v1/chat/sessions", "x".repeat(4_200_000), app),
    await proxy.ask("POST", "/v1/mcp", {}, claw),
    await proxy.ask("POST", "/v1/mcp", {}, { ...claw, "mcp-session-id": "" }),
    await proxy.ask("POST", "/v1/mcp/nobody", {}, claw),
    await proxy.ask("POST", session.mcp_url, "{", claw),
    await proxy.ask("POST", session.mcp_url, "x".repeat(4_200_000), claw),
    await proxy.ask("POST", session.mcp_url, "x", { ...claw, "content-type": "text/plain" }),
    await proxy.ask("GET", "/v1/chat/sessions", undefined, { ...app, origin: "https://evil.example" }),
    await proxy.ask("GET", "/nowhere"),
  ].map(({ status }) => status);
  expect(statuses).toEqual([401, 400, 400, 413, 400, 400, 404, 400, 413, 415, 403, 404]);
  const binary = await openApp(session.bridge_url, { headers: app });
  binary.ws.send(Buffer.from("x"));
  expect((await binary.closed).code).toBe(4400);
  const unknown = session.bridge_url.replace(session.mcpSessionId, "nobody");
  expect((await (await openApp(unknown, { headers: app })).closed).code).toBe(4404);
  const metrics = await proxy.metrics();
  const counted = Object.fromEntries(
    ["refused token", "bad request", "too large", "unknown session", "refused origin", "malformed message"].map(
      (event) => [event, Number(new RegExp(`event="${event}"} (\\d+)`).exec(metrics)?.[1] ?? 0)],
    ),
  );
  expect(counted).toEqual({
    "refused token": 1,
    "bad request": 7,
    "too large": 2,
    "unknown session": 2,
    "refused origin": 1,
    "malformed message": 1,
  });
});

test("a session's own tokens get 404, not 401, once the session is gone", async () => {
  const env = { OPENCLAW_PROXY_APP_TOKEN: "app-secret", OPENCLAW_PROXY_OPENCLAW_TOKEN: "claw-secret" };
  await using proxy = await startProxy({ env });
  const session = await proxy.create();
  const own = { authorization: `Bearer ${session.bridge_token}` };
  expect((await proxy.ask("DELETE", `/v1/chat/sessions/${session.mcpSessionId}`, undefined, own)).status).toBe(200);
  expect((await (await openApp(session.bridge_url, { headers: own })).closed).code).toBe(4404);
  expect((await proxy.ask("PATCH", `/v1/chat/sessions/${session.mcpSessionId}`, { tools: [] }, own)).status).toBe(404);
  const client = { authorization: `Bearer ${session.mcp_token}` };
  expect((await proxy.rpc(session, "tools/list", {}, client)).status).toBe(404);
});
