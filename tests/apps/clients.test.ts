import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from "@modelcontextprotocol/client";
import { describe, expect, test } from "vitest";
import { until } from "../support/until.ts";
import { openV1Client } from "../support/clients/v1-client.ts";
import { openV2Client } from "../support/clients/v2-client.ts";
import type { TestClient } from "../support/clients/test-client.ts";
import { bearer, type Created, echoTool, startProxy } from "./start-proxy.ts";
import { openApp } from "../support/apps/test-app.ts";

const clients: readonly (readonly [string, (url: string) => Promise<TestClient>])[] = [
  ["SDK v1", (url) => openV1Client({ url })],
  ["SDK v2, legacy", (url) => openV2Client({ url }, "legacy")],
  ["SDK v2, 2026-07-28", (url) => openV2Client({ url }, { pin: "2026-07-28" })],
];

describe.each(clients)("the official client %s", (_, connect) => {
  test("lists and calls the tools of a session", async () => {
    await using proxy = await startProxy();
    const session = await proxy.create();
    await using __ = await openApp(session.bridge_url);
    await using client = await connect(session.mcp_url);
    expect(await client.toolNames()).toEqual(["echo_text"]);
    expect(await client.call("echo_text", { text: "hi" })).toBe(
      JSON.stringify([[{ type: "text", text: '{"echoed_text":"hi"}' }], false]),
    );
    expect(client.errors).toEqual([]);
  });

  test("gets images and other content blocks as the app sent them", async () => {
    await using proxy = await startProxy();
    const session = await proxy.create();
    const blocks = [
      { type: "image", data: "aGk=", mimeType: "image/png" },
      { type: "resource_link", uri: "file:///a", name: "a" },
      { type: "resource", resource: { uri: "app://note", text: "note" } },
    ];
    await using __ = await openApp(session.bridge_url, { tools: { echo_text: () => blocks } });
    await using client = await connect(session.mcp_url);
    expect(JSON.parse(await client.call("echo_text"))).toEqual([blocks, false]);
  });

  test("sees the progress of a call, and its cancel reaches the app", async () => {
    await using proxy = await startProxy();
    const session = await proxy.create();
    await using app = await openApp(session.bridge_url, {
      tools: {
        echo_text: (___, { request_id }, own) =>
          own.send({ type: "invoke_progress", request_id, progress: 1, total: 3 }),
      },
    });
    await using client = await connect(session.mcp_url);
    const stop = new AbortController();
    const steps: number[] = [];
    const called = client.call("echo_text", {}, { onProgress: (step) => void steps.push(step), signal: stop.signal });
    await until(() => steps.length === 1);
    stop.abort();
    await expect(called).rejects.toThrow(/abort/i);
    expect((await app.wait("cancel_tool")).request_id).toBe(`${session.mcpSessionId}:1`);
    expect(steps).toEqual([1]);
  });

  test("is asked a question by the app and answers it", async () => {
    await using proxy = await startProxy();
    const session = await proxy.create();
    const params = {
      message: "Your name?",
      requestedSchema: { type: "object", properties: { name: { type: "string" } } },
    };
    await using app = await openApp(session.bridge_url, {
      tools: {
        echo_text: (___, { request_id }, own) => own.send({ type: "invoke_ask", request_id, ask_id: "q", params }),
      },
    });
    await using client = await connect(session.mcp_url);
    client.answers = { elicitation: { action: "accept", content: { name: "Anna" } } };
    const called = client.call("echo_text");
    const answer = await app.wait("ask_answer");
    expect(answer).toMatchObject({ ask_id: "q", ok: true, answer: { action: "accept", content: { name: "Anna" } } });
    app.result(answer.request_id, { ok: true, content: answer.answer.content.name });
    expect(await called).toContain("Anna");
  });
});

test("a client that sends the header finds its session at a stable URL", async () => {
  await using proxy = await startProxy({ env: { OPENCLAW_PROXY_OPENCLAW_TOKEN: "claw" } });
  const session = await proxy.create();
  await using _ = await openApp(session.bridge_url);
  const url = new URL("/v1/mcp", proxy.address);
  const headers = { ...bearer("claw"), "MCP-Session-Id": session.mcpSessionId };
  const v1 = new ClientV1({ name: "v1", version: "1" });
  await v1.connect(new TransportV1(url, { requestInit: { headers } }));
  const v2 = new ClientV2({ name: "v2", version: "1" });
  // This client removes the header from its first request, so `fetch` puts it back.
  const send = (to: string | URL, init?: RequestInit) =>
    fetch(to, { ...init, headers: { ...Object.fromEntries(new Headers(init?.headers)), ...headers } });
  await v2.connect(new TransportV2(url, { fetch: send }));
  for (const client of [v1, v2]) {
    const { content } = await client.callTool({ name: "echo_text", arguments: { text: "hi" } });
    expect(content).toEqual([{ type: "text", text: '{"echoed_text":"hi"}' }]);
    await client.close();
  }
});

test("clients of both eras are notified when PATCH replaces the tools", async () => {
  await using proxy = await startProxy();
  const session: Created = await proxy.create();
  await using legacy = await openV1Client({ url: session.mcp_url });
  await using modern = await openV2Client({ url: session.mcp_url }, { pin: "2026-07-28" });
  const stop = await modern.listen("app://nothing");
  const replace = (name: string) =>
    proxy.ask("PATCH", `/v1/chat/sessions/${session.mcpSessionId}`, { tools: [{ ...echoTool, name }] });
  // The older client opens its stream in the background, and gets only changes after that.
  for (let round = 0; legacy.heard.length === 0; round++) {
    expect(await replace(`tool_${round}`)).toMatchObject({ status: 200, body: { ok: true } });
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await until(() => modern.heard.includes("tools"));
  await replace("last");
  expect(await legacy.toolNames()).toEqual(["last"]);
  await stop();
});
