import { connect } from "node:net";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { expect, test } from "vitest";
import { until } from "../support/until.ts";
import { startProxy } from "./start-proxy.ts";
import { openApp } from "../support/apps/test-app.ts";

test("a call that runs when the proxy stops ends with an unknown outcome, and the app gets a cancel message", async () => {
  await using proxy = await startProxy();
  const session = await proxy.create();
  await using app = await openApp(session.bridge_url, { tools: {} });
  const called = proxy.rpc(session, "tools/call", { name: "echo_text", arguments: {} });
  await app.wait("invoke_tool");
  const closed = proxy.close();
  const { status, body } = await called;
  expect([status, body.result]).toMatchObject([200, { isError: true }]);
  expect(body.result.content[0].text).toMatch(/^The server is stopping\. The call may or may not have completed/);
  expect(body.result._meta["clawport/callId"]).toMatch(/./);
  expect((await app.wait("cancel_tool")).reason).toMatch(/^The server is stopping/);
  expect((await app.closed).code).toBe(1012);
  await closed;
});

test("stopping does not cut off a response that a client is reading", async () => {
  await using proxy = await startProxy();
  const session = await proxy.create();
  const content = "x".repeat(30_000_000);
  await using _ = await openApp(session.bridge_url, { tools: { echo_text: () => content } });
  const { pathname, port, host } = new URL(session.mcp_url);
  const reader = connect(Number(port), "127.0.0.1");
  const call = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "echo_text" } });
  const head = `POST ${pathname} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n`;
  reader.write(`${head}Accept: application/json\r\nContent-Length: ${call.length}\r\n\r\n${call}`);
  let read = 0;
  reader.on("data", (chunk: Buffer) => (read += chunk.length));
  await until(() => read > 0);
  reader.pause();
  const closed = proxy.close();
  const refused = await proxy.rpc(session, "tools/list");
  // A balancer may send it elsewhere, and a client again: it has not run.
  expect([refused.status, refused.headers.get("retry-after"), refused.body.error.code]).toEqual([503, "1", -32010]);
  reader.resume();
  await closed;
  await until(() => reader.closed);
  expect(read).toBeGreaterThan(content.length);
});

test("while the proxy stops, a user's answer still reaches the call that waits for it", async () => {
  await using proxy = await startProxy();
  const session = await proxy.create();
  await using app = await openApp(session.bridge_url, {
    tools: {
      echo_text: (_, { request_id }, own) =>
        own.send({ type: "invoke_ask", request_id, ask_id: "q", params: { message: "Sure?" } }),
    },
  });
  const client = new Client({ name: "test", version: "1" }, { capabilities: { elicitation: {} } });
  const answered = Promise.withResolvers<{ action: "accept"; content: Record<string, never> }>();
  const asked = Promise.withResolvers<void>();
  client.setRequestHandler(ElicitRequestSchema, () => {
    asked.resolve();
    return answered.promise;
  });
  await client.connect(new StreamableHTTPClientTransport(new URL(session.mcp_url)));
  const called = client.callTool({ name: "echo_text", arguments: {} });
  await asked.promise;
  const closed = proxy.close();
  expect((await proxy.rpc(session, "tools/list")).status).toBe(503);
  expect((await proxy.ask("POST", "/v1/chat/sessions", {})).status).toBe(503);
  answered.resolve({ action: "accept", content: {} });
  const { request_id } = await app.wait("invoke_tool");
  expect((await app.wait("ask_answer")).ok).toBe(true);
  app.result(request_id, { ok: true, content: "done" });
  expect((await called).content).toEqual([{ type: "text", text: "done" }]);
  await client.close();
  await closed;
});

test("a call that waits for its app when the session is deleted gets an error that says the app has not seen it", async () => {
  await using proxy = await startProxy({ env: { OPENCLAW_PROXY_BRIDGE_GRACE_SECONDS: "60" } });
  const session = await proxy.create();
  const called = proxy.call(session, "echo_text");
  await expect.poll(() => proxy.metrics()).toMatch(/^clawport_calls_in_flight\{.*\} 1$/m);
  await proxy.ask("DELETE", `/v1/chat/sessions/${session.mcpSessionId}`);
  expect(await called).toBe("!The call was cancelled before it was sent. The app has not seen it.");
});
