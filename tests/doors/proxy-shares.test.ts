import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { openApp } from "../support/apps/test-app.ts";
import { startProxy } from "../apps/start-proxy.ts";
import { until } from "../support/until.ts";
import { halfBody, postHead, sendHalf } from "./half-requests.ts";

const mega = 1024 * 1024;
const env = { OPENCLAW_PROXY_OPENCLAW_TOKEN: "claw-secret", OPENCLAW_PROXY_BRIDGE_GRACE_SECONDS: "60" };

test("half-sent bodies of one session take nothing from the calls of another, though both use the same token", async () => {
  await using proxy = await startProxy({ env, maxConcurrent: 64 });
  const [bad, good] = await Promise.all([proxy.create(), proxy.create()]);
  await using _ = await openApp(good.bridge_url);
  const { port, pathname } = new URL(bad.mcp_url);
  using half = await sendHalf(Number(port), halfBody(pathname, "claw-secret"), 260);
  half.trickle();
  const calls = Array.from({ length: 50 }, () => proxy.call(good, "echo_text", { text: "a" }));
  expect(new Set(await Promise.all(calls))).toEqual(new Set(['{"echoed_text":"a"}']));
  expect(half.closed).toBe(0);
});

test("slow calls of one session fill its half of the slots, and leave the others theirs", async () => {
  await using proxy = await startProxy({ env, maxConcurrent: 32 });
  const [bad, good] = await Promise.all([proxy.create(), proxy.create()]);
  await using _ = await openApp(good.bridge_url);
  // They wait for an app that has not connected yet.
  const outcomes: string[] = [];
  const slow = Array.from({ length: 40 }, async () =>
    outcomes.push(await proxy.call(bad, "echo_text", { text: "late" })),
  );
  await until(() => outcomes.length === 24);
  const refused = "!! This caller has 16 requests in flight, which is its share. Try again in a second.";
  expect(new Set(outcomes)).toEqual(new Set([refused]));
  const calls = Array.from({ length: 16 }, () => proxy.call(good, "echo_text", { text: "a" }));
  expect(new Set(await Promise.all(calls))).toEqual(new Set(['{"echoed_text":"a"}']));
  await using _late = await openApp(bad.bridge_url);
  await Promise.all(slow);
  expect(outcomes.filter((outcome) => outcome === '{"echoed_text":"late"}')).toHaveLength(16);
});

test("bodies of one session take at most half of the memory, and those of another still fit", async () => {
  await using proxy = await startProxy({ env, maxHeld: 24 * mega });
  const [bad, good] = await Promise.all([proxy.create(), proxy.create()]);
  await using _ = await openApp(good.bridge_url);
  const { port, pathname } = new URL(bad.mcp_url);
  using half = await sendHalf(Number(port), postHead(pathname, "claw-secret", 4 * mega), 8);
  await until(() => half.closed === 5);
  expect(new Set(half.answers.map((answer) => answer.split(" ")[1]))).toEqual(new Set([undefined, "503"]));
  const text = "x".repeat(3 * mega);
  expect(await proxy.call(good, "echo_text", { text })).toBe(JSON.stringify({ echoed_text: text }));
});

test("a slow body gets 408 and its connection is closed, for a session as for its registration", async () => {
  await using proxy = await startProxy({ env, bodyTimeoutMs: 100 });
  const { port, pathname } = new URL((await proxy.create()).mcp_url);
  using calls = await sendHalf(Number(port), halfBody(pathname, "claw-secret"), 2);
  using registrations = await sendHalf(Number(port), halfBody("/v1/chat/sessions", "any"), 2);
  await until(() => calls.closed + registrations.closed === 4);
  for (const answer of [...calls.answers, ...registrations.answers]) {
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(answer).toMatch(/^connection: close\r$/im);
  }
});

test("connections that never send a request make room for callers, and one session has at most its half", async () => {
  await using proxy = await startProxy({ env, maxConnections: 64 });
  const [bad, good] = await Promise.all([proxy.create(), proxy.create()]);
  await using app = await openApp(good.bridge_url);
  const { port, pathname } = new URL(bad.mcp_url);
  using silent = await sendHalf(Number(port), "", 100);
  await until(() => silent.closed >= 36);
  using half = await sendHalf(Number(port), halfBody(pathname, "claw-secret"), 50);
  await until(() => half.closed === 20);
  expect(half.answers.filter((answer) => answer.includes("too many connections"))).toHaveLength(20);
  expect(await proxy.call(good, "echo_text", { text: "a" })).toBe('{"echoed_text":"a"}');
  expect(app.ws.readyState).toBe(app.ws.OPEN);
});

const upgrade = [
  "connection: upgrade",
  "upgrade: websocket",
  "sec-websocket-version: 13",
  "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==",
].join("\r\n");

test.for([
  ["GET /openapi.json HTTP/1.1", "host: 127.0.0.1", "200"],
  ["GET /openapi.json HTTP/1.1", "host: 127.0.0.1\r\nHost: evil.test", "400"],
  ["GET /openapi.json HTTP/2.0", "host: 127.0.0.1", "505"],
  ["GET /v1/chat/sessions/x/bridge HTTP/1.1", `host: 127.0.0.1\r\n${upgrade}`, "101"],
  ["GET /v1/chat/sessions/x/bridge HTTP/1.1", `host: 127.0.0.1\r\nhost: evil.test\r\n${upgrade}`, "400"],
])("%s with %j is answered with %s", async ([line, headers, status]) => {
  await using proxy = await startProxy();
  const socket = connect(Number(new URL(proxy.address).port), "127.0.0.1");
  socket.write(`${line}\r\n${headers}\r\n\r\n`);
  const [bytes] = await once(socket, "data");
  socket.destroy();
  expect(String(bytes).split(" ")[1]).toBe(status);
});
