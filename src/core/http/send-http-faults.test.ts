import { once } from "node:events";
import { Agent, createServer, type RequestListener } from "node:http";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { listenHere } from "../../../tests/support/listen-here.ts";
import { readText, sendHttp } from "./send-http.ts";

async function openServer(serve: RequestListener) {
  const http = createServer(serve);
  const listening = await listenHere(http);
  const agent = new Agent({ keepAlive: true });
  const url = new URL(listening.origin);
  return {
    url,
    http,
    get: (signal?: AbortSignal) => sendHttp({ url, method: "GET", headers: {}, agent, signal }),
    post: (body: string) => sendHttp({ url, method: "POST", headers: {}, body, agent }),
    async [Symbol.asyncDispose]() {
      agent.destroy();
      await listening[Symbol.asyncDispose]();
    },
  };
}

test("a request that is stopped before its response is cancelled", async () => {
  await using server = await openServer(() => {});
  const aborter = new AbortController();
  const response = server.get(aborter.signal);
  await once(server.http, "request");
  aborter.abort();
  await expect(response).rejects.toMatchObject({ code: "cancelled" });
  await expect(server.get(aborter.signal)).rejects.toMatchObject({ code: "cancelled" });
});

test("a request that is stopped just as its response ends causes no error", async () => {
  await using server = await openServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" }).write("data: 1\n\n");
    response.end("data: 2\n\n");
  });
  for (let round = 0; round < 40; round++) {
    const aborter = new AbortController();
    const response = await server.get(aborter.signal);
    const reading = readAll(response, () => round % 3 === 1 && aborter.abort());
    for (let turn = 0; turn < round % 4; turn++) await nextTurn();
    aborter.abort();
    await reading.catch(() => {});
    await sleep(1);
  }
  expect(await readText(await server.get(), 100)).toBe("data: 1\n\ndata: 2\n\n");
});

test("without a server nothing was sent; if the connection breaks, the outcome is unknown", async () => {
  await using server = await openServer((request) => void request.socket.destroy());
  await expect(server.post("{}")).rejects.toMatchObject({ code: "outcome-unknown" });
  await new Promise((resolve) => server.http.close(resolve));
  await expect(server.post("{}")).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringContaining("ECONNREFUSED"),
  });
});

test("a redirect is followed with the same method and body, but not forever", async () => {
  let count = 0;
  await using server = await openServer((request, response) => {
    count++;
    if (request.url === "/end") request.pipe(response);
    else
      response
        .writeHead(307, { location: count > 10 || request.headers["content-length"] === "4" ? "/" : "/end" })
        .end();
  });
  expect(await readText(await server.post("abc"), 100)).toBe("abc");
  expect((await server.post("loop")).statusCode).toBe(307);
  expect(count).toBe(2 + 4);
});

test("an answer that breaks off or is too long is reported as such", async () => {
  await using server = await openServer((request, response) => {
    response.writeHead(200, { "content-length": "100" }).write("half");
    if (request.method === "POST") setTimeout(() => response.destroy(), 20);
    else response.end("x".repeat(96));
  });
  await expect(readText(await server.post("x"), 1000)).rejects.toMatchObject({ code: "outcome-unknown" });
  await expect(readText(await server.get(), 50)).rejects.toMatchObject({ code: "too-large" });
});

async function readAll(response: AsyncIterable<unknown>, onPiece: () => void): Promise<void> {
  for await (const _ of response) onPiece();
}
