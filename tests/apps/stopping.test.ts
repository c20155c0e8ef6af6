import { connect } from "node:net";
import { expect, test } from "vitest";
import { until } from "../support/until.ts";
import { startProxy } from "./start-proxy.ts";
import { openApp } from "./test-app.ts";

test("a call that runs when the proxy stops ends with the truth, for its caller and for the app", async () => {
  await using proxy = await startProxy();
  const session = await proxy.create();
  await using app = await openApp(session.bridge_url, { tools: {} });
  const called = proxy.rpc(session, "tools/call", { name: "echo_text", arguments: {} });
  await app.wait("invoke_tool");
  const closed = proxy.close();
  const { status, body } = await called;
  expect([status, body.result]).toMatchObject([200, { isError: true }]);
  expect(body.result.content[0].text).toMatch(/^The server is stopping\. Whether the tool ran is unknown/);
  expect((await app.wait("cancel_tool")).reason).toMatch(/^The server is stopping/);
  expect((await app.closed).code).toBe(1012);
  await closed;
});

test("an answer that somebody is reading is not cut short by the stop", async () => {
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
  expect(refused.status).toBe(503);
  reader.resume();
  await closed;
  await until(() => reader.closed);
  expect(read).toBeGreaterThan(content.length);
});
