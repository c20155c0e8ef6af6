import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { expect, test, vi } from "vitest";
import type { Source } from "../../../src/catalog/source.ts";
import { toFault } from "../../../src/core/fault.ts";
import { createEventStreams } from "../../../src/doors/console/event-streams.ts";
import { createPageServer } from "../../../src/doors/console/serve-page.ts";
import { judgeApiRequest, judgePageRequest } from "../../../src/doors/console/console-gate.ts";
import { testSource } from "../../support/test-source.ts";
import { listenHere } from "../../support/listen-here.ts";
import { until } from "../../support/until.ts";
import { openEvents, send, sendSignIn, startConsoleHub } from "./console-hub.ts";

vi.setConfig({ testTimeout: 30_000 });

test("the API answers only the console's own page: its signature and its origin", async () => {
  await using hub = await startConsoleHub();
  const browser = await hub.signIn();
  const status = async (headers: Readonly<Record<string, string | undefined>>) =>
    (await browser.post("status.read", {}, headers)).status;
  expect(await status({})).toBe(200);
  for (const signature of [undefined, "", "A".repeat(43), "A".repeat(5000), `${browser.session}.A.1.A.A`])
    expect(await status({ "x-clawport-console": signature })).toBe(401);
  for (const origin of [
    "https://evil.example",
    "null",
    "http://localhost:1",
    `http://127.0.0.1:${hub.port + 1}`,
    undefined,
  ])
    expect(await status({ origin, "sec-fetch-site": undefined })).toBe(403);
  expect(await status({ origin: `https://127.0.0.1:${hub.port}` })).toBe(403);
  for (const site of ["cross-site", "same-site", "none"]) expect(await status({ "sec-fetch-site": site })).toBe(403);
  for (const type of ["text/plain", "application/x-www-form-urlencoded", undefined])
    expect(await status({ "content-type": type })).toBe(415);
});

test("a page of another port of this machine can make a browser send nothing that is let in", async () => {
  await using hub = await startConsoleHub();
  await hub.signIn();
  const answer = await send(`${hub.address}/console/api/status.read`, {
    method: "POST",
    headers: { origin: `http://127.0.0.1:1`, "sec-fetch-site": "same-site", "content-type": "application/json" },
    body: "{}",
  });
  expect(answer.status).toBe(403);
  const alone = await send(`${hub.address}/console/api/events`, { headers: { "sec-fetch-site": "same-origin" } });
  expect(alone).toMatchObject({ status: 401 });
  expect(alone.headers["access-control-allow-origin"]).toBeUndefined();
});

test("preflights, other methods and unknown addresses get nothing", async () => {
  await using hub = await startConsoleHub();
  const browser = await hub.signIn();
  const preflight = await send(`${hub.address}/console/api/status.read`, {
    method: "OPTIONS",
    headers: { origin: "https://evil.example", "access-control-request-method": "POST" },
  });
  expect(preflight.status).toBe(405);
  expect(Object.keys(preflight.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
  expect((await browser.get("status.read")).status).toBe(404);
  expect((await browser.post("no.verb")).status).toBe(404);
  expect((await browser.post("tools.call")).status).toBe(404);
  expect((await browser.post("__proto__.constructor")).status).toBe(404);
  expect((await browser.get(`media/${"A".repeat(43)}`)).status).toBe(404);
});

test("the Host must name this machine, once, and no proxy may hand on requests of others", async () => {
  await using hub = await startConsoleHub();
  const browser = await hub.signIn();
  for (const host of ["evil.example", `evil.example:${hub.port}`, "127.0.0.1.evil.example", "0.0.0.0", "[::]"]) {
    const answer = await browser.post("status.read", {}, { host, origin: `http://${host}` });
    expect(answer.status).toBe(403);
    expect((await send(`${hub.address}/console/`, { headers: { host } })).status).toBe(403);
  }
  for (const name of ["x-forwarded-for", "forwarded", "x-forwarded-host", "x-real-ip"])
    expect((await browser.post("status.read", {}, { [name]: "127.0.0.1" })).status).toBe(403);
  expect(await sendRaw(hub.port, "GET /console/ HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n")).toMatch(/ 403 /);
  const raw = "GET /console/ HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n";
  expect(await sendRaw(hub.port, raw)).toMatch(/^HTTP\/1\.1 400 /);
});

test("no other machine gets the console, even if the hub is open to them", async () => {
  const facts = { method: "GET", headers: { host: "127.0.0.1:8765" }, rawHeaders: [], httpVersion: "1.1" };
  for (const judge of [judgePageRequest, judgeApiRequest])
    for (const peer of ["192.168.1.7", "::ffff:10.0.0.1", "fe80::1", undefined])
      expect(judge({ ...facts, peer })).toMatchObject({ pass: false, status: 403 });
  const own = Object.values(networkInterfaces())
    .flat()
    .find((each) => each?.family === "IPv4" && !each.internal)?.address;
  await using hub = await startConsoleHub({ host: "0.0.0.0", allowRemote: true });
  const { url } = await hub.link();
  // The machine's own address in the network: the peer of such a connection is not loopback.
  const far =
    own === undefined ? [] : [url.split("#")[0]!.replace("127.0.0.1", own), `http://${own}:${hub.port}/console/`];
  const hosts = [`${own}:${hub.port}`, `127.0.0.1:${hub.port}`, "localhost"];
  const tries = far.flatMap((address) => hosts.map((host) => send(address, { headers: { host } })));
  expect((await Promise.all(tries)).filter(({ status }) => status !== 403)).toEqual([]);
  expect((await send(url.split("#")[0]!)).status).toBe(200);
  expect((await sendSignIn(url)).status).toBe(200);
});

test("the page is never framed, embedded or sniffed, and loads nothing from elsewhere", async () => {
  await using hub = await startConsoleHub();
  for (const path of ["/console/", "/console/login/x", "/console/api/status.read", "/console/servers/files"]) {
    const { headers } = await send(`${hub.address}${path}`);
    expect(headers["x-frame-options"]).toBe("DENY");
    expect(headers["content-security-policy"]).toContain("frame-ancestors 'none'");
    expect(headers["content-security-policy"]).toContain("default-src 'none'");
    expect(headers["content-security-policy"]).not.toContain("unsafe");
    expect(headers).toMatchObject({
      "x-content-type-options": "nosniff",
      "cross-origin-resource-policy": "same-origin",
      "cross-origin-opener-policy": "same-origin",
      "referrer-policy": "no-referrer",
    });
  }
  for (const dest of ["iframe", "embed", "object", "frame"])
    expect((await send(`${hub.address}/console/`, { headers: { "sec-fetch-dest": dest } })).status).toBe(403);
  const script = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "script" };
  expect((await send(`${hub.address}/console/assets/index.js`, { headers: script })).status).toBe(403);
  expect((await send(`${hub.address}/console/`, { method: "POST" })).status).toBe(405);
});

test("no path of the page leads to another file", async () => {
  await using hub = await startConsoleHub();
  const folder = `${hub.folder}/page`;
  await mkdir(`${folder}/assets`, { recursive: true });
  await writeFile(`${folder}/index.html`, "<p>page</p>");
  await writeFile(`${folder}/assets/a-1.js`, "1");
  await writeFile(`${hub.folder}/secret.txt`, "secret");
  const serve = createPageServer(folder);
  await using site = await listenHere(
    createServer((request, response) => void serve(request, response, (request.url ?? "").slice(1))),
  );
  const fetched = (path: string) => send(site.origin, { path: `/${path}` });
  expect(await fetched("assets/a-1.js")).toMatchObject({ status: 200, text: "1" });
  expect((await fetched("assets/a-1.js")).headers["cache-control"]).toContain("immutable");
  expect(await fetched("servers/files")).toMatchObject({ status: 200, text: "<p>page</p>" });
  for (const path of [
    "../secret.txt",
    "assets/../../secret.txt",
    "assets/..%2f..%2fsecret.txt",
    "assets/%2e%2e/%2e%2e/secret.txt",
    "assets/....//secret.txt",
    "..\\secret.txt",
    "assets/.hidden",
    "/etc/passwd",
    "assets/a-1.js%00.png",
  ]) {
    const { text } = await fetched(path);
    expect(["<p>page</p>", "There is nothing at this address.\n"]).toContain(text);
  }
});

test("a body that is too large, no JSON or no object is refused, and the next request works", async () => {
  await using hub = await startConsoleHub();
  const browser = await hub.signIn();
  const large = await browser.post("configuration.validate", { text: "x".repeat(9 * 1024 * 1024) });
  expect(large.status).toBe(413);
  expect((await browser.post("status.read", "{")).status).toBe(400);
  expect((await browser.post("status.read", "[]")).status).toBe(400);
  expect((await browser.post("status.read", "null")).status).toBe(400);
  expect((await browser.post("call", "[]")).status).toBe(400);
  expect((await browser.post("status.read")).status).toBe(200);
});

test("a session whose link no terminal made may look at everything, and change, call and answer nothing", async () => {
  const source = testSource({ id: "notes", tools: ["add"] });
  await using hub = await startConsoleHub({ sources: [source] });
  const browser = await hub.signIn(false);
  for (const verb of [
    "status.read",
    "servers.list",
    "audit.search",
    "approvals.list",
    "machine.read",
    "configuration.read",
  ])
    expect((await browser.post(verb)).status).toBe(200);
  const changes: readonly [string, object][] = [
    ["call", { tool: "add", arguments: {} }],
    ["answer", { id: "x", answer: { action: "accept" } }],
    ["approvals.approve", { id: "1", confirmed: true }],
    ["approvals.accept", { name: "add", confirmed: true }],
    ["approvals.reject", { name: "add" }],
    ["approvals.forget", { tool: "add" }],
    ["pins.forget", { server: "notes", confirmed: true }],
    ["servers.add", { command: "sh" }],
    ["servers.remove", { name: "notes" }],
    ["servers.enable", { name: "notes", on: false }],
    ["servers.import", { names: ["x"] }],
    ["servers.connect", { name: "notes" }],
    ["servers.disconnect", { name: "notes" }],
    ["signIns.begin", { server: "notes", redirectUri: "http://127.0.0.1:1/" }],
    ["tokens.add", { name: "evil" }],
    ["tokens.remove", { name: "main" }],
    ["tokens.reset", {}],
    ["rules.save", { rules: [] }],
    ["machine.set", { enabled: true }],
    ["machine.consent", { capability: "system.run", mode: "always" }],
    ["machine.forget", { capability: "system.run" }],
    ["machine.revealToken", {}],
    ["machine.pair", {}],
    ["configuration.write", { text: "{}", baseHash: "" }],
    ["configuration.reload", {}],
    ["clients.install", { id: "cursor" }],
    ["clients.uninstall", { id: "cursor" }],
    ["conversations.remove", { key: "x" }],
  ];
  for (const [verb, body] of changes) {
    const answer = await browser.post(verb, body);
    expect(answer).toMatchObject({ status: 403, text: expect.stringContaining("clawport console") as string });
  }
  expect(source.calls).toEqual([]);
});

test("the main token does not open what needs a person, nor does the console's signature open MCP", async () => {
  await using hub = await startConsoleHub();
  const browser = await hub.signIn();
  const { token } = await browser.ask<{ token: string }>("machine.revealToken");
  const bearer = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  for (const verb of ["configuration.write", "servers.add", "machine.revealToken", "rules.save", "clients.install"]) {
    const answer = await send(`${hub.address}/control/${verb}`, { method: "POST", headers: bearer, body: "{}" });
    expect(answer.status).toBe(409);
  }
  const asToken = await send(`${hub.address}/console/api/status.read`, {
    method: "POST",
    headers: { ...bearer, origin: hub.address },
    body: "{}",
  });
  expect(asToken.status).toBe(401);
  const list = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  const signed = () => browser.headers("POST", "status.read", "{}");
  for (const headers of [signed(), { ...signed(), ...bearer }]) {
    const answer = await send(hub.mcpUrl, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json", origin: hub.address },
      body: list,
    });
    expect(answer.status).toBe(403);
  }
  expect((await send(`${hub.address}/control/status.read`, { method: "POST", headers: signed() })).status).toBe(403);
});

test("a browser that never reads its events is dropped, and the others go on", async () => {
  const session = { id: "a", terminal: true };
  const streams = createEventStreams({ isValid: () => true, onUse: () => {} });
  await using site = await listenHere(
    createServer((_, response) => streams.open(session, response, { type: "hello" })),
  );
  const slow = connect(site.port, "127.0.0.1");
  slow.write("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
  await once(slow, "readable");
  const quick = await fetch(site.origin);
  expect(streams.size).toBe(2);
  let read = 0;
  const reading = (async () => {
    for await (const chunk of quick.body!) read += chunk.length;
  })().catch(() => {});
  const pad = "x".repeat(1024 * 1024);
  for (let sent = 1; streams.size === 2; sent++) {
    streams.send({ type: "audit", pad });
    await until(() => read >= sent * pad.length);
    expect(sent).toBeLessThan(100);
  }
  expect(streams.size).toBe(1);
  streams.close();
  await reading;
  slow.destroy();
});

test("one session can't hold all streams", async () => {
  await using hub = await startConsoleHub();
  const browser = await hub.signIn();
  const opened = await Promise.all(Array.from({ length: 9 }, () => openEvents(browser)));
  expect(opened.map(({ status }) => String(status)).toSorted((a, b) => a.localeCompare(b))).toEqual([
    ...Array<string>(8).fill("200"),
    "503",
  ]);
  for (const events of opened) events[Symbol.dispose]();
});

async function sendRaw(port: number, text: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.write(text);
  let answer = "";
  socket.on("data", (chunk) => (answer += String(chunk)));
  await once(socket, "close");
  return answer;
}

test.each(["signOut", "a reset of the token"])(
  "a call that runs is stopped by %s, and its result is not sent",
  async (how) => {
    const stopped = Promise.withResolvers<void>();
    const started = Promise.withResolvers<void>();
    const call: Source["call"] = (_name, _args, { signal }) =>
      new Promise((_, reject) => {
        started.resolve();
        signal.addEventListener("abort", () => (stopped.resolve(), reject(toFault(signal.reason))));
      });
    await using hub = await startConsoleHub({
      sources: [testSource({ id: "slow", prefix: "slow", tools: ["wait"], call })],
    });
    const [browser, other] = [await hub.signIn(), await hub.signIn()];
    const running = browser.post("call", { tool: "slow__wait", arguments: {} }).catch(() => undefined);
    await started.promise;
    await (how === "signOut" ? browser.post("signOut") : other.ask("tokens.reset"));
    await stopped.promise;
    expect((await running)?.text ?? "").toBe("");
  },
);
