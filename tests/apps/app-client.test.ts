import { expect, test } from "vitest";
import { type AppTool, openApp } from "../../src/app/index.ts";
import { createRuns } from "../../src/app/runs.ts";
import { openV2Client } from "../clients/v2-client.ts";
import { until } from "../support/until.ts";
import { bearer, type Created, startProxy } from "./start-proxy.ts";

const tokens = { OPENCLAW_PROXY_APP_TOKEN: "app-secret", OPENCLAW_PROXY_OPENCLAW_TOKEN: "claw-secret" };

const tools: readonly AppTool[] = [
  {
    name: "greet",
    description: "Greets.",
    inputSchema: { type: "object", properties: { who: { type: "string" } }, required: ["who"] },
    run: ({ who }: { who: string }) => `Hello ${who}`,
  },
  {
    name: "fail",
    run() {
      throw new Error("no paper");
    },
  },
];

test("an app's functions are tools: called with checked arguments, their errors told", async () => {
  await using proxy = await startProxy({ env: tokens });
  const app = await openApp({ proxyUrl: proxy.address, appToken: "app-secret", deviceName: "desk", tools });
  await until(() => app.isConnected);
  const session = { mcp_url: app.session.mcpUrl } as Created;
  expect(await proxy.call(session, "greet", { who: "Anna" })).toBe("Hello Anna");
  expect(await proxy.call(session, "greet", {})).toMatch(/^!Wrong arguments/);
  expect(await proxy.call(session, "fail")).toBe("!no paper");
  expect((await proxy.rpc(session, "tools/list", {}, bearer(app.session.mcpToken))).status).toBe(200);
  await app.close();
  expect((await proxy.rpc(session, "tools/list")).status).toBe(404);
});

test("a tool reports progress, asks the person, and hears that it was cancelled", async () => {
  await using proxy = await startProxy();
  let stopped = false;
  const app = await openApp({
    proxyUrl: proxy.address,
    tools: [
      {
        name: "book",
        async run(_, { ask, progress }) {
          progress(1, 2, "asking");
          const { content } = await ask({
            message: "Where to?",
            requestedSchema: { type: "object", properties: { place: { type: "string" } } },
          });
          return `booked ${(content as { place: string }).place}`;
        },
      },
      {
        name: "wait",
        run: (_, { signal, progress }) =>
          new Promise((resolve) => {
            signal.addEventListener("abort", () => {
              stopped = true;
              resolve("stopped");
            });
            progress(1);
          }),
      },
    ],
  });
  await until(() => app.isConnected);
  await using client = await openV2Client({ url: app.session.mcpUrl }, { pin: "2026-07-28" });
  client.answers = { elicitation: { action: "accept", content: { place: "Rome" } } };
  const steps: number[] = [];
  expect(await client.call("book", {}, { onProgress: (step) => void steps.push(step) })).toContain("booked Rome");
  const stop = new AbortController();
  const waiting = client.call("wait", {}, { onProgress: () => stop.abort(), signal: stop.signal });
  await expect(waiting).rejects.toThrow(/abort/i);
  await until(() => stopped);
  await app.close();
});

test("tools can be replaced while the app runs", async () => {
  await using proxy = await startProxy({ env: tokens });
  const app = await openApp({ proxyUrl: proxy.address, appToken: "app-secret", tools });
  await until(() => app.isConnected);
  await app.setTools([{ name: "other", run: () => ({ done: true }) }]);
  const session = { mcp_url: app.session.mcpUrl } as Created;
  expect(await proxy.call(session, "other")).toBe('{"done":true}');
  expect(await proxy.call(session, "greet", { who: "x" })).toMatch(/^!! Unknown tool/);
  await app.close();
});

test("an app whose session was deleted opens a new one and says so", async () => {
  await using proxy = await startProxy({ env: { OPENCLAW_PROXY_OPERATOR_TOKEN: "boss" } });
  const sessions: string[] = [];
  const app = await openApp({ proxyUrl: proxy.address, tools, onSession: ({ id }) => void sessions.push(id) });
  await until(() => app.isConnected);
  const path = `/v1/chat/sessions/${app.session.id}`;
  // Its bridge was opened with its own token: nobody else may touch the session, save whoever runs the proxy.
  expect((await proxy.ask("DELETE", path)).status).toBe(401);
  expect((await proxy.ask("DELETE", path, undefined, bearer("boss"))).status).toBe(200);
  await until(() => sessions.length === 2 && app.isConnected);
  expect(await proxy.call({ mcp_url: app.session.mcpUrl } as Created, "greet", { who: "you" })).toBe("Hello you");
  await app.close();
});

test("an app comes back by itself when its connection breaks", async () => {
  await using proxy = await startProxy();
  const states: boolean[] = [];
  const app = await openApp({ proxyUrl: proxy.address, tools, onConnected: (is) => void states.push(is) });
  await until(() => app.isConnected);
  await proxy.restart();
  await until(() => states.length >= 3 && app.isConnected);
  expect(await proxy.call({ mcp_url: app.session.mcpUrl } as Created, "greet", { who: "you" })).toBe("Hello you");
  await app.close();
});

test("a call that comes twice is run once and answered twice", async () => {
  const runs: string[] = [];
  const sent: string[] = [];
  const tool: AppTool = { name: "pay", run: (_, { requestId }) => runs.push(requestId) };
  const { take } = createRuns({ tools: () => new Map([["pay", tool]]), send: (text) => sent.push(text) > 0 });
  const order = { type: "invoke_tool", request_id: "s:1", tool_name: "pay", arguments: {} };
  take(order);
  await until(() => sent.length === 1);
  take(order);
  const result = { type: "invoke_result", request_id: "s:1", ok: true, content: 1 };
  expect([runs, sent.map((text) => JSON.parse(text))]).toEqual([["s:1"], [result, result]]);
});

test("of a call that comes twice, a long answer is not kept, and the second is told so", async () => {
  const sent: string[] = [];
  const tool: AppTool = { name: "paint", run: () => "x".repeat(100_000) };
  const { take } = createRuns({ tools: () => new Map([["paint", tool]]), send: (text) => sent.push(text) > 0 });
  const order = { type: "invoke_tool", request_id: "s:1", tool_name: "paint", arguments: {} };
  take(order);
  await until(() => sent.length === 1);
  take(order);
  expect(JSON.parse(sent[0]!)).toMatchObject({ ok: true, request_id: "s:1" });
  expect(JSON.parse(sent[1]!)).toMatchObject({ ok: false, error: expect.stringContaining("has run already") });
});

test("wrong tokens are told at once", async () => {
  await using proxy = await startProxy({ env: tokens });
  await expect(openApp({ proxyUrl: proxy.address, appToken: "wrong", tools })).rejects.toThrow("401");
});
