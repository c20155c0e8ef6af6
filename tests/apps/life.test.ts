import { describe, expect, test } from "vitest";
import { until } from "../support/until.ts";
import { type RunningProxy, startProxy } from "./start-proxy.ts";
import { openApp } from "../support/apps/test-app.ts";

async function untilInFlight(proxy: RunningProxy, calls: number): Promise<void> {
  const line = new RegExp(`^clawport_calls_in_flight\\{.*\\} ${calls}$`, "m");
  await expect.poll(() => proxy.metrics()).toMatch(line);
}

test("a new bridge takes over: the old one is closed, its call ends with an unknown outcome, new calls go to the new one", async () => {
  await using proxy = await startProxy();
  const session = await proxy.create();
  await using old = await openApp(session.bridge_url, { tools: {} });
  const called = proxy.call(session, "echo_text", { text: "old" });
  await old.wait("invoke_tool");
  await using app = await openApp(session.bridge_url);
  expect(await old.closed).toEqual({ code: 4409, reason: "replaced by a newer bridge" });
  expect(await called).toMatch(/^!The bridge was lost after the call was sent\. Whether the tool ran is unknown/);
  expect(await proxy.call(session, "echo_text", { text: "new" })).toBe('{"echoed_text":"new"}');
  expect(app.messages.map(({ request_id }) => request_id)).toEqual([`${session.mcpSessionId}:2`]);
});

test("a bridge that breaks ends its calls at once, and the next bridge serves new ones", async () => {
  await using proxy = await startProxy();
  const session = await proxy.create();
  await using first = await openApp(session.bridge_url, { tools: {} });
  const called = proxy.call(session, "echo_text");
  await first.wait("invoke_tool");
  first.ws.terminate();
  expect(await called).toMatch(/^!The bridge was lost after the call was sent/);
  await using second = await openApp(session.bridge_url);
  expect(await proxy.call(session, "echo_text", { text: "b" })).toBe('{"echoed_text":"b"}');
  expect(second.messages).toHaveLength(1);
});

test("deleting a session during a call ends the call with an unknown outcome and says why", async () => {
  await using proxy = await startProxy();
  const session = await proxy.create();
  await using app = await openApp(session.bridge_url, { tools: {} });
  const called = proxy.call(session, "echo_text");
  await app.wait("invoke_tool");
  await proxy.ask("DELETE", `/v1/chat/sessions/${session.mcpSessionId}`);
  expect((await app.closed).code).toBe(4410);
  expect(await called).toMatch(/^!The session was deleted after the call was sent\. Whether the tool ran is unknown/);
});

test("with a grace period a call waits for the bridge to reconnect", async () => {
  await using proxy = await startProxy({ env: { OPENCLAW_PROXY_BRIDGE_GRACE_SECONDS: "20" } });
  const session = await proxy.create();
  const called = proxy.call(session, "echo_text", { text: "patient" });
  await untilInFlight(proxy, 1);
  await using _ = await openApp(session.bridge_url);
  expect(await called).toBe('{"echoed_text":"patient"}');
});

test("a call fails when the grace period ends without a bridge", async () => {
  await using proxy = await startProxy({ env: { OPENCLAW_PROXY_BRIDGE_GRACE_SECONDS: "0.02" } });
  const session = await proxy.create();
  expect(await proxy.call(session, "echo_text")).toBe("!Bridge is not connected");
});

test("an app that shows no sign of life is disconnected, and its calls end", async () => {
  await using proxy = await startProxy({ heartbeatMs: 500 });
  const session = await proxy.create();
  await using app = await openApp(session.bridge_url, { deaf: true, tools: {} });
  const called = proxy.call(session, "echo_text");
  await app.wait("invoke_tool");
  expect((await app.closed).code).toBe(1006);
  expect(await called).toMatch(/^!The bridge was lost/);
  expect(app.messages.filter(({ type }) => type === "ping").length).toBeLessThanOrEqual(2);
  expect(await proxy.metrics()).toContain('event="bridge dead"} 1');
});

test("an app that is sending a large result stays connected, though it answers no ping meanwhile", async () => {
  await using proxy = await startProxy({ heartbeatMs: 400 });
  const session = await proxy.create();
  await using app = await openApp(session.bridge_url, { deaf: true, tools: {} });
  const called = proxy.call(session, "echo_text");
  const { request_id } = await app.wait("invoke_tool");
  const pings = () => app.messages.filter(({ type }) => type === "ping").length;
  app.ws.send(`{"type":"invoke_result","request_id":"${request_id}","ok":true,"content":"`, { fin: false });
  let sent = "";
  for (; pings() < 4 && app.ws.readyState === 1; sent += "x".repeat(1000)) {
    app.ws.send("x".repeat(1000), { fin: false });
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  app.ws.send('"}');
  expect(await called).toBe(sent);
});

test("a bridge that answers pings keeps its session alive; without it the session expires", async () => {
  const env = { OPENCLAW_PROXY_SESSION_TTL_SECONDS: "1" };
  await using proxy = await startProxy({ env, heartbeatMs: 100 });
  const session = await proxy.create();
  const app = await openApp(session.bridge_url);
  await until(() => app.messages.length >= 15);
  expect(await proxy.call(session, "echo_text", { text: "still" })).toBe('{"echoed_text":"still"}');
  await app[Symbol.asyncDispose]();
  await expect.poll(async () => (await proxy.rpc(session, "tools/list")).status).toBe(404);
});

test("an app may request another time to live, up to a limit", async () => {
  await using proxy = await startProxy();
  const spanOf = async (ttl_seconds: number) => {
    const { mcpSessionId } = await proxy.create({ ttl_seconds });
    const { body } = await proxy.ask("GET", `/v1/chat/sessions/${mcpSessionId}`);
    return (Date.parse(body.expires_at) - Date.parse(body.created_at)) / 1000;
  };
  expect([await spanOf(20), await spanOf(10_000_000)]).toEqual([20, 86_400]);
});

describe("the same call sent again under its key", () => {
  const keyed = { "clawport/callKey": "pay-17" };

  test("joins the one that runs, and both get its result", async () => {
    await using proxy = await startProxy();
    const session = await proxy.create();
    await using app = await openApp(session.bridge_url, { tools: {} });
    const first = proxy.call(session, "echo_text", {}, keyed);
    const { request_id } = await app.wait("invoke_tool");
    const second = proxy.call(session, "echo_text", {}, keyed);
    await untilInFlight(proxy, 2);
    app.result(request_id, { ok: true, content: "paid" });
    expect(await Promise.all([first, second])).toEqual(["paid", "paid"]);
    expect(app.messages).toHaveLength(1);
  });

  test("gets the same result after it is done, without the app", async () => {
    await using proxy = await startProxy();
    const session = await proxy.create();
    await using app = await openApp(session.bridge_url, { tools: { echo_text: () => String(app.messages.length) } });
    expect(await proxy.call(session, "echo_text", {}, keyed)).toBe("1");
    expect(await proxy.call(session, "echo_text", {}, keyed)).toBe("1");
    expect(await proxy.call(session, "echo_text", {})).toBe("2");
  });

  test("is not run again if its outcome is unknown, even on a new bridge", async () => {
    await using proxy = await startProxy();
    const session = await proxy.create();
    await using first = await openApp(session.bridge_url, { tools: {} });
    const called = proxy.call(session, "echo_text", {}, keyed);
    await first.wait("invoke_tool");
    first.ws.terminate();
    expect(await called).toContain("unknown");
    await using second = await openApp(session.bridge_url);
    expect(await proxy.call(session, "echo_text", {}, keyed)).toContain("unknown");
    expect(second.messages).toEqual([]);
  });
});

test("a log line of the app reaches the client that waits for the call", async () => {
  await using proxy = await startProxy();
  const session = await proxy.create();
  await using _ = await openApp(session.bridge_url, {
    tools: {
      echo_text(__, { request_id }, app) {
        app.send({ type: "invoke_log", request_id, level: "warning", data: "low battery" });
        return "done";
      },
    },
  });
  const { text } = await proxy.rpc(session, "tools/call", { name: "echo_text", arguments: {} });
  expect(text).toContain('"method":"notifications/message","params":{"level":"warning","data":"low battery"}');
});

test("a result that does not match the tool's output schema becomes an error", async () => {
  await using proxy = await startProxy();
  const output_schema = { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] };
  const session = await proxy.create({ tools: [{ name: "add", output_schema }] });
  const answers: unknown[] = [{ sum: 3 }, { sum: "three" }, "three"];
  await using _ = await openApp(session.bridge_url, { tools: { add: () => answers.shift() } });
  const texts = [await proxy.call(session, "add"), await proxy.call(session, "add"), await proxy.call(session, "add")];
  expect(texts[0]).toBe('{"sum":3}');
  expect(texts.slice(1)).toEqual(Array(2).fill(expect.stringMatching(/^!The app's result does not match/)));
});

test("a result of 50 MB arrives complete", async () => {
  await using proxy = await startProxy();
  const session = await proxy.create();
  const data = "A".repeat(50 * 1024 * 1024);
  await using _ = await openApp(session.bridge_url, {
    tools: { echo_text: () => [{ type: "image", data, mimeType: "image/png" }] },
  });
  const { body } = await proxy.rpc(session, "tools/call", { name: "echo_text", arguments: {} });
  expect(body.result.content[0].data === data).toBe(true);
});
