import { expect, test, vi } from "vitest";
import { clawport, makePlace } from "../cli/run-clawport.ts";
import { startProxyProcess } from "./proxy-process.ts";
import { type Created, registration } from "./start-proxy.ts";
import { openApp } from "./test-app.ts";

vi.setConfig({ testTimeout: 60_000 });

const json = { "content-type": "application/json", accept: "application/json, text/event-stream" };

async function create(address: string): Promise<Created> {
  const body = JSON.stringify(registration);
  return (await (
    await fetch(`${address}/v1/chat/sessions`, { method: "POST", headers: json, body })
  ).json()) as Created;
}

async function call(session: Created, text: string): Promise<string> {
  const params = { name: "echo_text", arguments: { text } };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  return (await fetch(session.mcp_url, { method: "POST", headers: json, body })).text();
}

test("after a kill -9 the sessions are there again, bridges go on, and no request id comes twice", async () => {
  await using place = await makePlace();
  const first = await startProxyProcess(place, "--port", "0");
  const session = await create(first.address);
  const deleted = await create(first.address);
  await fetch(`${first.address}/v1/chat/sessions/${deleted.mcpSessionId}`, { method: "DELETE" });
  const before = await openApp(session.bridge_url, {
    tools: { echo_text: ({ text }) => (text === "hang" ? undefined : text) },
  });
  expect(await call(session, "one")).toContain('"text":"one"');
  const hanging = call(session, "hang").catch(String);
  await expect.poll(() => before.messages.length).toBe(2);
  await first[Symbol.asyncDispose]();
  expect(await hanging).toContain("fetch failed");
  expect((await before.closed).code).toBe(1006);

  await using second = await startProxyProcess(place, "--port", String(first.port));
  await using after = await openApp(session.bridge_url);
  expect(await call(session, "two")).toContain("echoed_text");
  const ids = [...before.messages, ...after.messages].map(({ request_id }) => request_id);
  expect([ids.length, new Set(ids).size]).toEqual([3, 3]);
  expect(await call(deleted, "gone")).toContain("There is no such session");
  expect(second.port).toBe(first.port);
});

test("two proxies don't share the sessions of one home, unless one keeps none", async () => {
  await using place = await makePlace();
  await using _ = await startProxyProcess(place, "--port", "0");
  const refused = await clawport(place, "proxy", "--port", "0");
  expect([refused.exit, refused.err]).toEqual([1, expect.stringContaining("--memory")]);
  await using __ = await startProxyProcess(place, "--port", "0", "--memory");
});
