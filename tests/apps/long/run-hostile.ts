import { once } from "node:events";
import { request } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { askAndNeverRead } from "../ask-and-never-read.ts";
import type { ProxyClient } from "../../support/apps/proxy-client.ts";
import { openApp } from "../../support/apps/test-app.ts";
import { type MeasuredProxy, startMeasured } from "./start-measured.ts";

export interface HostileOptions {
  /** Messages that an app sends as fast as it can, until it is disconnected. */
  readonly flood: number;
  /** Requests that clients send as fast as they are answered. */
  readonly requests: number;
  /** Announced size of a message, of which as much is sent as the proxy accepts. */
  readonly messageBytes: number;
  /** Clients that request a response of `answerBytes` and never read it. */
  readonly readers: number;
  readonly answerBytes: number;
}

export interface HostileReport {
  readonly floodClosedWith: number;
  readonly requestsAnswered: number;
  readonly hugeClosedWith: number;
  readonly hugeBodies: readonly string[];
  readonly slowReadersCut: number;
  readonly served: number;
  readonly memory: readonly [before: number, after: number, peak: number];
}

/** Runs hostile apps and clients, one kind after the other, while a good app must be served. */
export async function runHostile(options: HostileOptions, ...args: string[]): Promise<HostileReport> {
  await using measured = await startMeasured(...args);
  const { proxy } = measured;
  const before = measured.memory();
  const [floodClosedWith, requestsAnswered] = await Promise.all([
    floodAsApp(proxy, options.flood),
    floodAsClient(measured, options.requests),
  ]);
  await measured.serveGood();
  const hugeClosedWith = await sendHuge(proxy, options.messageBytes);
  const hugeBodies = [
    await postHuge(proxy, options.messageBytes, { "content-length": String(options.messageBytes) }),
    await postHuge(proxy, options.messageBytes, { "transfer-encoding": "chunked" }),
  ];
  await measured.serveGood();
  await neverRead(measured, options);
  await measured.serveGood();
  const slowReadersCut = Number(/event="slow reader"} (\d+)/.exec(await proxy.metrics())?.[1] ?? 0);
  const memory = [before, measured.memory(), measured.peak()] as const;
  const { served } = measured;
  return { floodClosedWith, requestsAnswered, hugeClosedWith, hugeBodies, slowReadersCut, served, memory };
}

/** Returns the close code of its bridge. */
async function floodAsApp(proxy: ProxyClient, messages: number): Promise<number> {
  const app = await openApp((await proxy.create()).bridge_url);
  for (let sent = 0; sent < messages && app.ws.readyState === 1; sent++) {
    app.send('{"type":"pong"}');
    if (sent % 1000 === 0) await sleep(0);
  }
  return (await app.closed).code;
}

async function floodAsClient(measured: MeasuredProxy, requests: number): Promise<number> {
  const { proxy } = measured;
  const session = await proxy.create();
  let answered = 0;
  let next = 0;
  const worker = async () => {
    while (next++ < requests) {
      const { status } = await proxy.rpc(session, "tools/call", { name: "echo_text", arguments: {} });
      if (status === 200) answered++;
      if (next % 1000 === 0) await measured.serveGood();
    }
  };
  await Promise.all(Array.from({ length: 64 }, worker));
  return answered;
}

/** Sends one message of that many bytes without holding it in memory. Returns the close code of the bridge. */
async function sendHuge(proxy: ProxyClient, bytes: number): Promise<number> {
  const app = await openApp((await proxy.create()).bridge_url);
  const { _socket: socket } = app.ws as unknown as { _socket: Socket };
  const head = Buffer.alloc(14);
  head[0] = 0x81;
  head[1] = 0xff;
  head.writeBigUInt64BE(BigInt(bytes), 2);
  socket.on("error", () => {});
  socket.write(head);
  await pump(socket, bytes);
  return (await app.closed).code;
}

async function postHuge(proxy: ProxyClient, bytes: number, headers: Record<string, string>): Promise<string> {
  const sent = request(new URL("/v1/chat/sessions", proxy.address), {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
  });
  const answered = once(sent, "response").then(([response]) => `${response.statusCode}`);
  const failed = once(sent, "error").then(() => "cut off");
  failed.catch(() => {});
  const [socket] = (await once(sent, "socket")) as [Socket];
  void pump(socket, bytes, (chunk) => sent.write(chunk));
  const how = await Promise.race([answered, failed]).catch(() => "cut off");
  sent.destroy();
  return how;
}

/** Writes for as long as the other end accepts it. */
async function pump(
  socket: Socket,
  bytes: number,
  write = (chunk: Buffer): boolean => socket.write(chunk),
): Promise<void> {
  const chunk = Buffer.alloc(1024 * 1024, 0x20);
  const closed = once(socket, "close").catch(() => {});
  for (let sent = 0; sent < bytes && !socket.destroyed; sent += chunk.length) {
    if (!write(chunk)) await Promise.race([once(socket, "drain"), closed]).catch(() => {});
  }
}

async function neverRead(measured: MeasuredProxy, { readers, answerBytes }: HostileOptions): Promise<void> {
  const session = await measured.proxy.create({ tools: [{ name: "picture" }] });
  const data = "A".repeat(answerBytes);
  await using app = await openApp(session.bridge_url, {
    tools: { picture: () => [{ type: "image", data, mimeType: "image/png" }] },
  });
  const sockets: Socket[] = [];
  for (let at = 0; at < readers && app.ws.readyState === 1; at++) {
    sockets.push(await askAndNeverRead(session, "picture"));
    while (app.messages.filter(({ type }) => type === "invoke_tool").length <= at && app.ws.readyState === 1)
      await sleep(5);
    await measured.serveGood();
  }
  for (const socket of sockets) socket.destroy();
}
