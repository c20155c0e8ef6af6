import { once } from "node:events";
import { Agent, createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { listenHere } from "../../../tests/support/listen-here.ts";
import { isFault } from "../fault.ts";
import { readText, retryAfterMs, sendHttp } from "./send-http.ts";
import { beforeSending } from "./turn-end.ts";

const now = Date.parse("2026-01-01T00:00:00Z");

test.each([
  ["0", 0],
  ["120", 120_000],
  ["Thu, 01 Jan 2026 00:00:30 GMT", 30_000],
  ["Wed, 31 Dec 2025 23:59:00 GMT", 0],
  [undefined, undefined],
  ["", undefined],
  ["soon", undefined],
  ["-5", undefined],
  ["1.5", undefined],
  ["99999999999", undefined],
])("%s is %s ms from now", (value, ms) => {
  expect(retryAfterMs(value, now)).toBe(ms);
});

async function ask(answer: RequestListener) {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => {
    agent.destroy();
    server.close();
    server.closeAllConnections();
  });
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/a/path?with=search`);
  return sendHttp({ url, method: "POST", headers: { "x-own": "1" }, body: "{}", agent });
}

test("a host without an address is a wrong address or no network, not a server that is down", async () => {
  const agent = new Agent();
  onTestFinished(() => agent.destroy());
  const url = new URL("http://no-such-host.invalid/mcp");
  await expect(sendHttp({ url, method: "POST", headers: {}, body: "{}", agent })).rejects.toThrow(
    /^no-such-host\.invalid can't be reached \((?:ENOTFOUND|EAI_AGAIN)\)\. Check the address and your network\.$/,
  );
});

test("a request goes to the path and the search of its address", async () => {
  const response = await ask((request, reply) => reply.end(`${request.method} ${request.url}`));
  expect(await readText(response, 100)).toBe("POST /a/path?with=search");
});

test("a text is complete even if a character arrives in two chunks", async () => {
  const bytes = Buffer.from("aä€🦞".repeat(3));
  const response = await ask((_, reply) => {
    const writeNext = (at: number) =>
      at === bytes.length
        ? reply.end()
        : reply.write(bytes.subarray(at, at + 1), () => setImmediate(writeNext, at + 1));
    writeNext(0);
  });
  expect(await readText(response, 1000)).toBe("aä€🦞".repeat(3));
});

test("a text of just the size that is allowed is taken, and one byte more ends the connection", async () => {
  expect(await readText(await ask((_, reply) => reply.end("12345")), 5)).toBe("12345");

  const closed = Promise.withResolvers<void>();
  const response = await ask((_, reply) => {
    reply.on("close", closed.resolve);
    reply.write("123456");
  });
  await expect(readText(response, 5)).rejects.toSatisfy((error) => isFault(error, "too-large"));
  await closed.promise;
});

test("an answer that breaks off in the middle leaves the outcome unknown", async () => {
  const response = await ask((_, reply) => reply.write("half", () => reply.destroy()));
  await expect(readText(response, 100)).rejects.toSatisfy((error) => isFault(error, "outcome-unknown"));
});

test("what must be done before a request leaves is done once for all requests of a turn", async () => {
  const happened: string[] = [];
  await using address = await listenHere(
    createServer((_, reply) => {
      happened.push("arrived");
      reply.end();
    }),
  );
  const agent = new Agent();
  let isWaiting = false;
  const prepare = () => {
    isWaiting = false;
    happened.push("prepared");
  };
  const send = () => {
    if (!isWaiting) beforeSending(prepare);
    isWaiting = true;
    return sendHttp({ url: new URL(address.origin), method: "POST", headers: {}, body: "{}", agent });
  };
  for (const response of await Promise.all([send(), send(), send()])) response.resume();
  expect(happened).toEqual(["prepared", "arrived", "arrived", "arrived"]);
});
