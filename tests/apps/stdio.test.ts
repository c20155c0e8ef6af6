import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { describe, expect, test, vi } from "vitest";
import { clawport, mainFile, makePlace } from "../support/cli/run-clawport.ts";
import type { TestClient } from "../support/clients/test-client.ts";
import { openV1Client } from "../support/clients/v1-client.ts";
import { openV2Client } from "../support/clients/v2-client.ts";
import { until } from "../support/until.ts";
import { startProxy } from "./start-proxy.ts";
import { openApp } from "../support/apps/test-app.ts";

vi.setConfig({ testTimeout: 60_000 });

type Reach = { readonly command: string; readonly args: string[] };
const clients: readonly (readonly [string, (reach: Reach) => Promise<TestClient>])[] = [
  ["SDK v1", (reach) => openV1Client(reach)],
  ["SDK v2, 2026-07-28", (reach) => openV2Client(reach, { pin: "2026-07-28" })],
];

describe.each(clients)("over stdio the official client %s", (_, connect) => {
  test("calls the tools of the session it was started for, sees progress and can cancel", async () => {
    await using proxy = await startProxy();
    const session = await proxy.create({ tools: [{ name: "echo_text" }, { name: "slow" }] });
    await using app = await openApp(session.bridge_url, {
      tools: {
        echo_text: ({ text }) => ({ echoed_text: text }),
        slow: (__, { request_id }, own) => own.send({ type: "invoke_progress", request_id, progress: 1 }),
      },
    });
    const args = [mainFile, "proxy-stdio", "--proxy-base-url", proxy.address, "--session", session.mcpSessionId];
    await using client = await connect({ command: process.execPath, args });
    expect(await client.toolNames()).toEqual(["echo_text", "slow"]);
    expect(await client.call("echo_text", { text: "hi" })).toContain("echoed_text");
    const stop = new AbortController();
    const steps: number[] = [];
    const called = client.call("slow", {}, { onProgress: (step) => void steps.push(step), signal: stop.signal });
    await until(() => steps.length === 1);
    stop.abort();
    await expect(called).rejects.toThrow(/abort/i);
    await app.wait("cancel_tool");
  });
});

test("initialize names the session; the environment has the address and the token", async () => {
  await using place = await makePlace();
  await using proxy = await startProxy({ env: { OPENCLAW_PROXY_OPENCLAW_TOKEN: "claw" } });
  const session = await proxy.create();
  await using _ = await openApp(session.bridge_url);
  const env = { ...place.env, OPENCLAW_PROXY_SERVER_URL: proxy.address, OPENCLAW_PROXY_OPENCLAW_TOKEN: "claw" };
  const child = spawn(process.execPath, [mainFile, "proxy-stdio"], { env, cwd: place.folder });
  const ask = asker(child);
  expect((await ask("tools/list")).error.message).toContain("mcpSessionId");
  const clientInfo = { name: "x", version: "1" };
  const params = { protocolVersion: "2025-03-26", capabilities: {}, clientInfo, mcpSessionId: session.mcpSessionId };
  expect((await ask("initialize", params)).result.protocolVersion).toBe("2025-03-26");
  const { result } = await ask("tools/call", { name: "echo_text", arguments: { text: "hello" } });
  expect(result.structuredContent).toEqual({ echoed_text: "hello" });
  child.stdin.end();
  expect(await once(child, "exit")).toEqual([0, null]);
});

test("the environment names the session by default, and only initialize may name another", async () => {
  await using place = await makePlace();
  await using proxy = await startProxy();
  const [one, two] = [
    await proxy.create({ tools: [{ name: "one" }] }),
    await proxy.create({ tools: [{ name: "two" }] }),
  ];
  const env = { ...place.env, OPENCLAW_PROXY_SERVER_URL: proxy.address, OPENCLAW_PROXY_SESSION_ID: one.mcpSessionId };
  const child = spawn(process.execPath, [mainFile, "proxy-stdio"], { env, cwd: place.folder });
  const ask = asker(child);
  const names = async (params: object) =>
    (await ask("tools/list", params)).result.tools.map((tool: { name: string }) => tool.name);
  expect(await names({})).toEqual(["one"]);
  expect(await names({ mcpSessionId: two.mcpSessionId })).toEqual(["one"]);
  const handshake = { protocolVersion: "2025-03-26", capabilities: {}, clientInfo: { name: "x", version: "1" } };
  expect(await ask("initialize", { ...handshake, mcpSessionId: two.mcpSessionId })).toHaveProperty("result");
  expect(await names({})).toEqual(["two"]);
  child.stdin.end();
  expect(await once(child, "exit")).toEqual([0, null]);
});

test("an id that can be none is refused in clear words, wherever it stands", async () => {
  await using place = await makePlace();
  const typed = await clawport(place, "proxy-stdio", "--session", "a b");
  expect([typed.exit, typed.err]).toEqual([2, expect.stringContaining('"a b" is not a session id')]);
  const child = spawn(process.execPath, [mainFile, "proxy-stdio"], { env: place.env, cwd: place.folder });
  const ask = asker(child);
  for (const mcpSessionId of ["a\r\nb", "", "ü", 7, { toString: 1 }]) {
    const { error } = await ask("initialize", { protocolVersion: "2025-03-26", mcpSessionId });
    expect(error).toEqual({ code: -32600, message: expect.stringContaining("is not a session id") });
  }
  child.stdin.end();
  expect(await once(child, "exit")).toEqual([0, null]);
});

test("a proxy that can't be reached fails the request, not the process", async () => {
  await using place = await makePlace();
  const args = [mainFile, "proxy-stdio", "--proxy-base-url", "http://127.0.0.1:9", "--session", "x"];
  const child = spawn(process.execPath, args, { env: place.env, cwd: place.folder });
  const ask = asker(child);
  expect((await ask("tools/list")).error.message).toContain("127.0.0.1:9");
  expect((await ask("tools/list")).error.message).toContain("127.0.0.1:9");
  child.stdin.end();
  expect(await once(child, "exit")).toEqual([0, null]);
});

function asker(child: ChildProcessWithoutNullStreams) {
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let id = 0;
  return async (method: string, params: object = {}) => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: ++id, method, params })}\n`);
    return JSON.parse(String((await lines.next()).value));
  };
}
