import { expect, test, vi } from "vitest";
import { createRandom, type Random } from "../fuzz/random.ts";
import { type Created, echoTool, type RunningProxy, startProxy } from "./start-proxy.ts";
import { openApp, type TestApp } from "./test-app.ts";

vi.setConfig({ testTimeout: 600_000 });

/** On both sides together; the long run sets more. */
const total = Number(process.env["CLAWPORT_FUZZ_MESSAGES"] ?? 20_000);
const messages = total * 0.8;
const requestCount = total * 0.2;

test(`an app that sends ${messages} odd messages harms itself alone`, async () => {
  await using proxy = await startProxy();
  await using good = await openGood(proxy);
  const session = await proxy.create();
  const random = createRandom(7);
  let app: TestApp | undefined;
  const calls: Promise<string>[] = [];
  for (let sent = 0; sent < messages; sent++) {
    if (app?.ws.readyState !== 1) app = await openApp(session.bridge_url, { tools: {} });
    const { request_id = "none" } = app.messages.at(-1) ?? {};
    app.send(oddMessage(random, session, request_id));
    if (sent % 50 === 0) calls.push(proxy.call(session, "echo_text"));
    if (sent % 500 !== 0) continue;
    expect(await good.call(`${sent}`)).toBe(JSON.stringify({ echoed_text: `${sent}` }));
  }
  app?.ws.terminate();
  expect(await good.call("last")).toBe('{"echoed_text":"last"}');
  expect(await Promise.all(calls)).toHaveLength(calls.length);
});

test(`clients that send ${requestCount} odd requests get an answer each, and others are served`, async () => {
  await using proxy = await startProxy();
  await using good = await openGood(proxy);
  const session = await proxy.create();
  await using _ = await openApp(session.bridge_url);
  const random = createRandom(11);
  const statuses = new Set<number>();
  const served: string[] = [];
  for (let sent = 0; sent < requestCount; sent += 20) {
    const requests = Array.from({ length: 20 }, () => oddRequest(random, session));
    const answers = await Promise.all(
      requests.map(({ method, path, body }) => proxy.ask(method, path, method === "POST" ? body : undefined)),
    );
    for (const { status } of answers) statuses.add(status);
    if (sent % 1000 === 0) served.push(await good.call(`${sent}`));
  }
  expect(served.filter((text) => !text.startsWith('{"echoed_text"'))).toEqual([]);
  expect([...statuses].filter((status) => status >= 500)).toEqual([]);
  expect(await proxy.metrics()).toContain("clawport_app_bridges 2");
});

async function openGood(proxy: RunningProxy) {
  const session = await proxy.create();
  const app = await openApp(session.bridge_url);
  return {
    call: (text: string) => proxy.call(session, "echo_text", { text }),
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
}

const types = [
  "invoke_result",
  "invoke_progress",
  "invoke_log",
  "invoke_ask",
  "ping",
  "pong",
  "invoke_tool",
  "constructor",
];

function oddValue(random: Random, depth = 0): unknown {
  const simple = [
    null,
    true,
    -0,
    1e308,
    "",
    "\u0000",
    "\ud800",
    "x".repeat(random.int(300)),
    "__proto__",
    random.int(9),
  ];
  if (depth > 3 || random.chance(0.6)) return random.pick(simple);
  if (random.chance(0.5)) return Array.from({ length: random.int(4) }, () => oddValue(random, depth + 1));
  const keys = ["type", "content", "isError", "__proto__", "toString", "message", "text", "data"];
  return Object.fromEntries(
    Array.from({ length: random.int(4) }, () => [random.pick(keys), oddValue(random, depth + 1)]),
  );
}

function oddMessage(random: Random, { mcpSessionId }: Created, requestId: string): string {
  if (random.chance(0.02)) return random.pick(["{", "", "[]", "nul", '"', "{}", '{"type":7}']);
  const field = (usual: unknown) => (random.chance(0.7) ? usual : oddValue(random));
  return JSON.stringify({
    type: random.chance(0.97) ? random.pick(types) : oddValue(random),
    mcpSessionId: random.chance(0.9) ? mcpSessionId : oddValue(random),
    request_id: random.chance(0.97) ? random.pick([requestId, `${mcpSessionId}:1`]) : oddValue(random),
    ok: random.chance(0.97) ? random.chance(0.5) : oddValue(random),
    content: oddValue(random),
    error: oddValue(random),
    progress: field(1),
    level: random.chance(0.97) ? "info" : oddValue(random),
    ask_id: field("a"),
    params: field({}),
  });
}

function oddRequest(random: Random, session: Created): { method: string; path: string; body: string } {
  const method = random.chance(0.85) ? "POST" : random.pick(["DELETE", "PATCH", "PUT"]);
  const path = random.pick([
    session.mcp_url,
    session.mcp_url,
    "/v1/mcp",
    "/v1/mcp/%00",
    "/v1/chat/sessions",
    "/v1/chat/sessions/x/bridge",
    "/%2e%2e/",
  ]);
  const isRegistration = path === "/v1/chat/sessions";
  const message = isRegistration
    ? {
        device_id: oddValue(random),
        tools: random.chance(0.5)
          ? oddValue(random)
          : [{ ...echoTool, input_schema: oddValue(random), name: oddValue(random) }],
      }
    : {
        jsonrpc: random.chance(0.9) ? "2.0" : oddValue(random),
        id: random.chance(0.9) ? random.int(99) : oddValue(random),
        method: random.pick([
          "tools/call",
          "tools/list",
          "initialize",
          "ping",
          "tools/none",
          "notifications/cancelled",
        ]),
        params: random.chance(0.6) ? { name: "echo_text", arguments: oddValue(random) } : oddValue(random),
      };
  const text = JSON.stringify(message);
  return { method, path, body: random.chance(0.05) ? text.slice(0, random.int(text.length)) || "{" : text };
}
