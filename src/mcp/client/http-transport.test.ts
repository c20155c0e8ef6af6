import { once } from "node:events";
import { Agent, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { Fault, isFault } from "../../core/fault.ts";
import { silentLog } from "../../core/log.ts";
import { createHttpTransport } from "./http-transport.ts";
import { openMcpClient } from "./mcp-client.ts";

/** A client whose transport has one connection, to a server that accepts requests and never answers. */
async function connectToSilence() {
  const arrived: string[] = [];
  const server = createServer((request) => {
    arrived.push(request.method ?? "");
    server.emit("arrival");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const transport = createHttpTransport({
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`),
    headers: () => ({}),
    agent: new Agent({ keepAlive: true, maxSockets: 1 }),
    log: silentLog,
    maxMessageBytes: 1000,
  });
  const client = await openMcpClient(transport, { info: { name: "test", version: "1" }, capabilities: {} });
  return { client, server, arrived };
}

test("closing fails the pending calls, and the one that waits for a connection is never sent", async () => {
  const { client, server, arrived } = await connectToSilence();
  const arrival = once(server, "arrival");
  const calls = ["first", "second"].map((name) =>
    client.request("tools/call", { name }, { timeoutMs: 60_000 }).catch((error: unknown) => error),
  );
  const [connection] = await Promise.all([once(server, "connection").then(([socket]) => socket), arrival]);
  await Promise.all([once(connection, "close"), client.close()]);
  expect((await Promise.all(calls)).every((fault) => isFault(fault, "cancelled"))).toBe(true);

  // A call that was still to be sent would arrive before this request.
  const address = server.address() as AddressInfo;
  const arrivedNow = once(server, "arrival");
  void fetch(`http://127.0.0.1:${address.port}/`).catch(() => {});
  await arrivedNow;
  expect(arrived).toEqual(["POST", "GET"]);
});

test("a stream that needs a sign-in is requested once", async () => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.method ?? "");
    request.resume();
    response.writeHead(request.method === "POST" ? 202 : 401).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const refusal = Promise.withResolvers<void>();
  const waits: number[] = [];
  const transport = createHttpTransport({
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`),
    headers: () => ({}),
    authorizer: {
      request: () => ({
        headers: () => Promise.resolve({}),
        refused() {
          refusal.resolve();
          return Promise.reject(new Fault("unauthorized", "Sign in."));
        },
      }),
    },
    agent: new Agent(),
    log: silentLog,
    maxMessageBytes: 1000,
    sleep: async (ms = 0) => void waits.push(ms) as never,
  });
  await transport.start({ onMessage() {}, onLost() {}, onClose() {} });
  await transport.send({ jsonrpc: "2.0", method: "notifications/initialized" });
  await refusal.promise;
  // A retry would begin with a wait, in the same turn as the refusal.
  await nextTurn();
  expect(waits).toEqual([]);
  await transport.close();
  expect(asked).toEqual(["POST", "GET"]);
});

test("a server that is always too busy and says to retry at once is not tried forever", async () => {
  let posts = 0;
  const server = createServer((request, response) => {
    posts++;
    request.resume();
    response.writeHead(429, { "retry-after": "0" }).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const transport = createHttpTransport({
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`),
    headers: () => ({}),
    agent: new Agent({ keepAlive: true }),
    log: silentLog,
    maxMessageBytes: 1000,
  });
  await transport.start({ onMessage() {}, onLost() {}, onClose() {} });
  const sent = transport.send({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  await expect(sent).rejects.toMatchObject({ code: "unavailable", detail: { status: 429 } });
  await transport.close();
  expect(posts).toBe(31);
});
