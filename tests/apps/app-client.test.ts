import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { WebSocketServer } from "ws";
import { openBridgeLink } from "../../src/app/bridge-link.ts";
import { type AppTool, openApp } from "../../src/app/index.ts";
import { createToolRuns } from "../../src/app/tool-runs.ts";
import { closeCodes, type CloseReason } from "../../src/sources/apps/bridge/bridge-socket.ts";
import { createMemorySessionStore } from "../../src/sources/apps/store/session-store.ts";
import { runProgram } from "../support/cli/run-shell.ts";
import { openV2Client } from "../support/clients/v2-client.ts";
import { listenHere } from "../support/listen-here.ts";
import { until } from "../support/until.ts";
import { openLine } from "./open-line.ts";
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
  {
    name: "throw_nothing",
    run() {
      throw Object.create(null);
    },
  },
];

test("where the environment has no WebSocket, as on Node 20, the app brings its own", async () => {
  await using proxy = await startProxy({ env: tokens });
  const file = fileURLToPath(new URL("no-websocket.ts", import.meta.url));
  const words = ["--no-experimental-websocket", file, proxy.address, tokens.OPENCLAW_PROXY_APP_TOKEN];
  const { exit, out } = await runProgram(process.execPath, words);
  expect([exit, out]).toEqual([0, "undefined, connected\nundefined, disconnected\n"]);
});

test("an app's functions are tools: their arguments are checked, their errors reach the caller", async () => {
  await using proxy = await startProxy({ env: tokens });
  const app = await openApp({ proxyUrl: proxy.address, appToken: "app-secret", deviceName: "desk", tools });
  await until(() => app.isConnected);
  const session = { mcp_url: app.session.mcpUrl } as Created;
  expect(await proxy.call(session, "greet", { who: "Anna" })).toBe("Hello Anna");
  expect(await proxy.call(session, "greet", {})).toMatch(/^!Wrong arguments/);
  expect(await proxy.call(session, "fail")).toBe("!no paper");
  expect(await proxy.call(session, "throw_nothing")).toBe("!The tool threw a value that can't be converted to text.");
  expect((await proxy.rpc(session, "tools/list", {}, bearer(app.session.mcpToken))).status).toBe(200);
  await app.close();
  expect((await proxy.rpc(session, "tools/list")).status).toBe(404);
});

test("a tool can report progress and ask the user, and its signal is aborted on cancel", async () => {
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

test("an app whose session was deleted opens a new one and calls onSession", async () => {
  await using proxy = await startProxy({ env: { OPENCLAW_PROXY_OPERATOR_TOKEN: "boss" } });
  const sessions: string[] = [];
  const app = await openApp({ proxyUrl: proxy.address, tools, onSession: ({ id }) => void sessions.push(id) });
  await until(() => app.isConnected);
  const path = `/v1/chat/sessions/${app.session.id}`;
  // Its bridge was opened with its own token: from then on only that token and the operator's may change the session.
  expect((await proxy.ask("DELETE", path)).status).toBe(401);
  expect((await proxy.ask("DELETE", path, undefined, bearer("boss"))).status).toBe(200);
  await until(() => sessions.length === 2 && app.isConnected);
  expect(await proxy.call({ mcp_url: app.session.mcpUrl } as Created, "greet", { who: "you" })).toBe("Hello you");
  await app.close();
});

test("an app opens a new session if a proxy with tokens has lost the old one", async () => {
  await using proxy = await startProxy({ env: tokens, openStore: () => Promise.resolve(createMemorySessionStore()) });
  const sessions: string[] = [];
  const options = { proxyUrl: proxy.address, appToken: "app-secret", tools };
  const app = await openApp({ ...options, onSession: ({ id }) => void sessions.push(id) });
  await until(() => app.isConnected);
  await proxy.restart();
  await until(() => sessions.length === 2 && app.isConnected);
  expect(await proxy.call({ mcp_url: app.session.mcpUrl } as Created, "greet", { who: "you" })).toBe("Hello you");
  await app.close();
});

test("an app reconnects by itself when its connection breaks", async () => {
  await using proxy = await startProxy();
  const states: boolean[] = [];
  const app = await openApp({ proxyUrl: proxy.address, tools, onConnected: (is) => void states.push(is) });
  await until(() => app.isConnected);
  await proxy.restart();
  await until(() => states.length >= 3 && app.isConnected);
  expect(await proxy.call({ mcp_url: app.session.mcpUrl } as Created, "greet", { who: "you" })).toBe("Hello you");
  await app.close();
});

test("an app leaves a connection that is silently dead, and is callable again over a new one", async () => {
  await using proxy = await startProxy();
  await using line = await openLine(Number(new URL(proxy.address).port));
  const states: boolean[] = [];
  const app = await openApp({
    proxyUrl: `http://127.0.0.1:${line.port}`,
    heartbeatSeconds: 0.5,
    tools,
    onConnected: (is) => void states.push(is),
  });
  await until(() => app.isConnected);
  line.freeze();
  await until(() => states.length >= 3 && app.isConnected);
  const session = { mcp_url: `${proxy.address}/v1/mcp/${app.session.id}` } as Created;
  await expect.poll(() => proxy.call(session, "greet", { who: "you" })).toBe("Hello you");
  await app.close();
});

test("an open question is rejected when the connection dies, so that its tool can end", async () => {
  await using proxy = await startProxy();
  await using line = await openLine(Number(new URL(proxy.address).port));
  const { promise: told, resolve: tell } = Promise.withResolvers<unknown>();
  const app = await openApp({
    proxyUrl: `http://127.0.0.1:${line.port}`,
    heartbeatSeconds: 0.5,
    tools: [{ name: "book", run: (_, { ask }) => ask({ message: "Where to?" }).catch(tell) }],
  });
  await until(() => app.isConnected);
  await using client = await openV2Client({ url: `${proxy.address}/v1/mcp/${app.session.id}` }, { pin: "2026-07-28" });
  client.answers = {
    get elicitation() {
      line.freeze();
      return { action: "accept" as const, content: {} };
    },
  };
  await client.call("book", {}).catch(() => {});
  expect(String(await told)).toContain("lost before the question was answered");
  await app.close();
});

test.each([0, -1, Number.NaN, 1e9])("a heartbeat of %d seconds is refused", async (heartbeatSeconds) => {
  await using proxy = await startProxy();
  await expect(openApp({ proxyUrl: proxy.address, tools, heartbeatSeconds })).rejects.toThrow("heartbeatSeconds");
});

test("an app pings over a quiet connection, and keeps it if there is an answer", async () => {
  const asked: string[][] = [];
  const server = new WebSocketServer({ port: 0 });
  server.on("connection", (ws) => {
    const texts: string[] = [];
    asked.push(texts);
    ws.on("message", (data: Buffer) => {
      texts.push(data.toString());
      ws.send('{"type":"pong"}');
    });
  });
  const link = openBridgeLink({
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token: "t",
    heartbeatMs: 200,
    onMessage: () => {},
    onConnected: () => {},
    onOver: () => {},
  });
  await until(() => asked.some((texts) => texts.length >= 3));
  expect(asked.flat()).toContain('{"type":"ping"}');
  link.close();
  server.close();
});

test.each<[CloseReason, string]>([
  ["invalidToken", "session over"],
  ["unknownSession", "session over"],
  ["expired", "session over"],
  ["deleted", "session over"],
  ["replaced", "replaced"],
  ["malformed", "reconnected"],
  ["flooding", "reconnected"],
  ["failed", "reconnected"],
  ["overloaded", "reconnected"],
  ["draining", "reconnected"],
])("an app knows what to do when the proxy closes its bridge as %s", async (reason, expected) => {
  const { promise: next, resolve } = Promise.withResolvers<string>();
  const server = new WebSocketServer({ port: 0 });
  server.once("connection", (ws) => {
    server.once("connection", () => resolve("reconnected"));
    const [code, text] = closeCodes[reason];
    ws.close(code, text);
  });
  const link = openBridgeLink({
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token: "t",
    heartbeatMs: 10_000,
    onMessage: () => {},
    onConnected: () => {},
    onOver: resolve,
  });
  expect(await next).toBe(expected);
  link.close();
  server.close();
});

test.each([
  ["a big integer", () => ({ n: 1n })],
  [
    "a circle",
    () => {
      const a: { self?: object } = {};
      a.self = a;
      return a;
    },
  ],
  ["a function", () => () => 1],
])("a result that JSON can't hold, %s, becomes an error at once", async (_, run) => {
  await using proxy = await startProxy();
  const app = await openApp({ proxyUrl: proxy.address, tools: [{ name: "make", run }] });
  await until(() => app.isConnected);
  const session = { mcp_url: app.session.mcpUrl } as Created;
  expect(await proxy.call(session, "make")).toMatch(/^!The result can't be written as JSON/);
  await app.close();
});

test("progress and log data that JSON can't hold end neither the call nor the bridge", async () => {
  await using proxy = await startProxy();
  const states: boolean[] = [];
  const app = await openApp({
    proxyUrl: proxy.address,
    onConnected: (is) => void states.push(is),
    tools: [
      {
        name: "count",
        run(_, { progress, log }) {
          progress(Number.NaN, 3);
          log("info", { n: 1n });
          return "counted";
        },
      },
    ],
  });
  await until(() => app.isConnected);
  const session = { mcp_url: app.session.mcpUrl } as Created;
  const { text } = await proxy.rpc(session, "tools/call", { name: "count", arguments: {} });
  expect(text).toContain("can't be written as JSON");
  expect(text).toContain("counted");
  expect(states).toEqual([true]);
  await app.close();
});

test("a call that arrives twice is run once and answered twice", async () => {
  const runs: string[] = [];
  const sent: string[] = [];
  const tool: AppTool = { name: "pay", run: (_, { requestId }) => runs.push(requestId) };
  const { take } = createToolRuns({ tools: () => new Map([["pay", tool]]), send: (text) => sent.push(text) > 0 });
  const order = { type: "invoke_tool", request_id: "s:1", tool_name: "pay", arguments: {} };
  take(order);
  await until(() => sent.length === 1);
  take(order);
  const result = { type: "invoke_result", request_id: "s:1", ok: true, content: 1 };
  expect([runs, sent.map((text) => JSON.parse(text))]).toEqual([["s:1"], [result, result]]);
});

test("of a call that arrives twice, a long result is not kept, and the second gets an error that says so", async () => {
  const sent: string[] = [];
  const tool: AppTool = { name: "paint", run: () => "x".repeat(100_000) };
  const { take } = createToolRuns({ tools: () => new Map([["paint", tool]]), send: (text) => sent.push(text) > 0 });
  const order = { type: "invoke_tool", request_id: "s:1", tool_name: "paint", arguments: {} };
  take(order);
  await until(() => sent.length === 1);
  take(order);
  expect(JSON.parse(sent[0]!)).toMatchObject({ ok: true, request_id: "s:1" });
  expect(JSON.parse(sent[1]!)).toMatchObject({ ok: false, error: expect.stringContaining("already ran") });
});

test("an app ignores what is not a message of a proxy", async () => {
  const heard: string[] = [];
  const server = createServer((_, response) => {
    const bridge = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
    response.end(JSON.stringify({ mcpSessionId: "s", bridge_url: bridge, bridge_token: "t" }));
  });
  await using listening = await listenHere(server);
  new WebSocketServer({ server }).on("connection", (ws) => {
    ws.on("message", (data: Buffer) => heard.push(data.toString()));
    for (const text of ["<html>", "null", "7", "[]", '{"type":"ping"}']) ws.send(text);
  });
  const app = await openApp({ proxyUrl: listening.origin, tools });
  await until(() => heard.length > 0);
  expect(heard.map((text) => JSON.parse(text))).toEqual([{ type: "pong", mcpSessionId: "s" }]);
  await app.close();
});

test("onConnected reports a lost bridge once, however often reconnecting fails", async () => {
  const states: boolean[] = [];
  let tries = 0;
  const server = createServer((_, response) => {
    const bridge = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
    response.end(JSON.stringify({ mcpSessionId: "s", bridge_url: bridge, bridge_token: "t" }));
  });
  const bridges = new WebSocketServer({ noServer: true });
  server.on("upgrade", (request, socket, head) => {
    if (++tries === 2 || tries === 3) return socket.destroy();
    bridges.handleUpgrade(request, socket, head, (ws) => {
      if (tries === 1) ws.close();
    });
  });
  await using listening = await listenHere(server);
  const app = await openApp({ proxyUrl: listening.origin, tools, onConnected: (is) => void states.push(is) });
  await until(() => tries === 4 && app.isConnected);
  const heard = [...states];
  await app.close();
  expect(heard).toEqual([true, false, true]);
});

test("closing an app aborts the tools that run, and not those that have ended", async () => {
  await using proxy = await startProxy();
  const signals: AbortSignal[] = [];
  const run: AppTool["run"] = (_, { signal }) => void signals.push(signal);
  const wait: AppTool["run"] = (_, { signal }) => {
    signals.push(signal);
    return new Promise((resolve) => signal.addEventListener("abort", resolve));
  };
  const app = await openApp({
    proxyUrl: proxy.address,
    tools: [
      { name: "run", run },
      { name: "wait", run: wait },
    ],
  });
  await until(() => app.isConnected);
  const session = { mcp_url: app.session.mcpUrl } as Created;
  await proxy.call(session, "run");
  const called = proxy.call(session, "wait");
  await until(() => signals.length === 2);
  await app.close();
  expect(signals.map(({ aborted }) => aborted)).toEqual([false, true]);
  expect(String(signals[1]?.reason)).toBe("Error: The app was closed.");
  expect(await called).toMatch(/Whether the tool ran is unknown/);
});

test("a wrong token rejects at once", async () => {
  await using proxy = await startProxy({ env: tokens });
  await expect(openApp({ proxyUrl: proxy.address, appToken: "wrong", tools })).rejects.toThrow("401");
});

test("an app whose token is no longer accepted calls onEnd", async () => {
  await using before = await startProxy({ env: tokens });
  const ended = Promise.withResolvers<Error>();
  const options = { proxyUrl: before.address, appToken: "app-secret", tools };
  const app = await openApp({ ...options, onEnd: ended.resolve });
  await until(() => app.isConnected);
  await before.close();
  const port = Number(new URL(before.address).port);
  await using _ = await startProxy({ env: { ...tokens, OPENCLAW_PROXY_APP_TOKEN: "another" }, port });
  expect((await ended.promise).message).toContain("401");
});
