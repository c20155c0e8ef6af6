import { once } from "node:events";
import { Agent, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { until } from "../../../tests/support/until.ts";
import { Fault, isFault } from "../../core/fault.ts";
import { silentLog } from "../../core/log.ts";
import { createHttpTransport } from "./http-transport.ts";
import { openMcpClient } from "./mcp-client.ts";

/** A client whose transport has one connection, to a server that takes requests and never answers. */
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

test("closing ends the call under way, and the one that waits for a connection is never sent", async () => {
  const { client, server, arrived } = await connectToSilence();
  const arrival = once(server, "arrival");
  const calls = ["first", "second"].map((name) =>
    client.request("tools/call", { name }, { timeoutMs: 60_000 }).catch((error: unknown) => error),
  );
  const [connection] = await Promise.all([once(server, "connection").then(([socket]) => socket), arrival]);
  await Promise.all([once(connection, "close"), client.close()]);
  expect((await Promise.all(calls)).every((fault) => isFault(fault, "cancelled"))).toBe(true);

  // Whatever was still to be sent would be here before this one's answer.
  const address = server.address() as AddressInfo;
  const arrivedNow = once(server, "arrival");
  void fetch(`http://127.0.0.1:${address.port}/`).catch(() => {});
  await arrivedNow;
  expect(arrived).toEqual(["POST", "GET"]);
});

test("a stream that is only to be had after a sign-in is not asked for again and again", async () => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.method ?? "");
    request.resume();
    response.writeHead(request.method === "POST" ? 202 : 401).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const transport = createHttpTransport({
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`),
    headers: () => ({}),
    authorizer: {
      request: () => ({
        headers: () => Promise.resolve({}),
        refused: () => Promise.reject(new Fault("unauthorized", "Sign in.")),
      }),
    },
    agent: new Agent(),
    log: silentLog,
    maxMessageBytes: 1000,
  });
  await transport.start({ onMessage() {}, onLost() {}, onClose() {} });
  await transport.send({ jsonrpc: "2.0", method: "notifications/initialized" });
  await until(() => asked.includes("GET"));
  // The second time would come after two seconds.
  await sleep(2500);
  await transport.close();
  expect(asked).toEqual(["POST", "GET"]);
});
