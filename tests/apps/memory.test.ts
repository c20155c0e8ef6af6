import { expect, test, vi } from "vitest";
import { until } from "../support/until.ts";
import { askAndNeverRead } from "./ask-and-never-read.ts";
import { echoTool, registration, type RunningProxy, startProxy } from "./start-proxy.ts";
import { openApp, type TestApp } from "../support/apps/test-app.ts";

vi.setConfig({ testTimeout: 60_000 });

const mega = 1024 * 1024;
const counted = async (proxy: RunningProxy, event: string) =>
  Number(new RegExp(`event="${event}"} (\\d+)`).exec(await proxy.metrics())?.[1] ?? 0);
const held = async (proxy: RunningProxy) => Number(/^clawport_app_held_bytes (\d+)$/m.exec(await proxy.metrics())?.[1]);

test("tool definitions beyond the memory limit are refused and counted; deleting a session makes room", async () => {
  await using proxy = await startProxy({ maxHeld: 60_000 });
  const large = { ...registration, tools: [{ ...echoTool, description: "x".repeat(12_000) }] };
  const open = () => proxy.ask("POST", "/v1/chat/sessions", large);
  const first = await open();
  expect([first.status, (await open()).status]).toEqual([200, 200]);
  const refused = await open();
  expect([refused.status, refused.body.code, refused.headers.get("retry-after")]).toEqual([503, "busy", "1"]);
  expect(await counted(proxy, "refused for memory")).toBe(1);
  const path = `/v1/chat/sessions/${first.body.mcpSessionId}`;
  expect((await proxy.ask("PATCH", path, { tools: [...large.tools, { ...large.tools[0], name: "b" }] })).status).toBe(
    503,
  );
  expect((await proxy.ask("PATCH", path, { tools: [echoTool] })).status).toBe(200);
  expect((await open()).status).toBe(200);
  expect((await proxy.ask("DELETE", path)).status).toBe(200);
  expect((await proxy.rpc(first.body, "tools/list")).status).toBe(404);
});

test("large calls beyond the memory limit are refused before the app sees them; small ones are still served", async () => {
  await using proxy = await startProxy({ maxHeld: 5 * mega });
  const session = await proxy.create({ tools: [{ name: "echo_text" }, { name: "fast" }] });
  await using app = await openApp(session.bridge_url, { tools: { fast: () => "served" } });
  const text = "x".repeat(mega);
  // Each is counted twice: as the body of the request, and as the message to the app.
  const waiting = [1, 2].map(() => proxy.call(session, "echo_text", { text }));
  await until(() => app.messages.length === 2);
  expect((await proxy.rpc(session, "tools/call", { name: "echo_text", arguments: { text } })).status).toBe(503);
  expect(await proxy.call(session, "fast")).toBe("served");
  expect(app.messages.filter(({ tool_name }) => tool_name === "echo_text")).toHaveLength(2);
  for (const { request_id } of app.messages.slice(0, 2)) app.result(request_id, { ok: true, content: "done" });
  expect(await Promise.all(waiting)).toEqual(["done", "done"]);
  await expect.poll(() => held(proxy)).toBeLessThan(10_000);
});

test("a client that never reads is disconnected to make room, and others are served", async () => {
  await using proxy = await startProxy({ maxHeld: 32 * mega });
  const session = await proxy.create({ tools: [{ name: "echo_text" }, { name: "picture" }] });
  const data = "A".repeat(12 * mega);
  await using _ = await openApp(session.bridge_url, {
    tools: { echo_text: () => "served", picture: () => [{ type: "image", data, mimeType: "image/png" }] },
  });
  const sockets = await Promise.all(Array.from({ length: 6 }, () => askAndNeverRead(session, "picture")));
  await expect.poll(() => counted(proxy, "slow reader"), { timeout: 30_000 }).toBeGreaterThan(0);
  expect(await proxy.call(session, "echo_text")).toBe("served");
  expect(await held(proxy)).toBeLessThanOrEqual(32 * mega);
  const { body } = await proxy.rpc(session, "tools/call", { name: "picture", arguments: {} });
  expect(body.result.content[0].data === data).toBe(true);
  for (const socket of sockets) socket.destroy();
  await expect.poll(() => held(proxy)).toBeLessThan(10_000);
});

test("incomplete messages are counted, and an app that exceeds the limit with one is disconnected", async () => {
  await using proxy = await startProxy({ maxHeld: 20 * mega });
  const good = await proxy.create();
  await using _ = await openApp(good.bridge_url);
  const slow: TestApp[] = [];
  for (const before of [0, 8, 17]) {
    await expect.poll(() => held(proxy)).toBeGreaterThan(before * mega);
    const app = await openApp((await proxy.create()).bridge_url);
    app.ws.send("x".repeat(9 * mega), { fin: false });
    slow.push(app);
  }
  expect((await slow[2]!.closed).code).toBe(1006);
  expect(slow.map(({ ws }) => ws.readyState === ws.OPEN)).toEqual([true, true, false]);
  expect(await proxy.call(good, "echo_text", { text: "a" })).toBe('{"echoed_text":"a"}');
  for (const app of slow) app.ws.terminate();
  await expect.poll(() => held(proxy)).toBeLessThan(10_000);
});

test("an app that reads nothing is disconnected; calls that it never got are told apart from those it may have got", async () => {
  await using proxy = await startProxy({ heartbeatMs: 300 });
  const session = await proxy.create({ tools: [{ name: "take" }] });
  const app = await openApp(session.bridge_url, { tools: {}, deaf: true });
  app.ws.pause();
  // The app is alive, it just does not read.
  const alive = setInterval(() => app.ws.readyState === 1 && app.send({ type: "pong" }), 50);
  const text = "x".repeat(2 * mega);
  const outcomes = await Promise.all(Array.from({ length: 20 }, (_, n) => proxy.call(session, "take", { n, text })));
  clearInterval(alive);
  app.ws.resume();
  await app.closed;
  const seen = new Set(app.messages.filter(({ type }) => type === "invoke_tool").map((each) => each.arguments.n));
  const unseen = outcomes.flatMap((outcome, n) =>
    /has not seen it|too slowly|not connected/.test(outcome) ? [n] : [],
  );
  expect(outcomes.filter((outcome) => !/has not seen it|too slowly|not connected|unknown/.test(outcome))).toEqual([]);
  expect(unseen.length).toBeGreaterThan(0);
  expect(unseen.filter((n) => seen.has(n))).toEqual([]);
  expect(await counted(proxy, "slow reader")).toBe(1);
  await expect.poll(() => held(proxy)).toBeLessThan(10_000);
});
