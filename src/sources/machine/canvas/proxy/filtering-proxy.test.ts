import { once } from "node:events";
import { createServer, type IncomingMessage, request } from "node:http";
import { connect, createServer as createListener } from "node:net";
import { expect, test } from "vitest";
import { listenHere } from "../../../../../tests/support/listen-here.ts";
import { silentLog } from "../../../../core/log.ts";
import { createFilteringProxy, openFilteringProxy } from "../../../../core/http/filtering-proxy.ts";
import { createOriginJudge, parseTrustedOrigins } from "./trusted-origins.ts";

/** A server, and a proxy that trusts `name` at its port. The name resolves to the next of the addresses each time. */
async function startPair(name: string, addresses: readonly (readonly string[])[], privateAddresses = false) {
  const seen: string[] = [];
  const server = createServer((incoming, response) => {
    seen.push(`${incoming.method} ${incoming.headers.host?.split(":")[0]}${incoming.url}`);
    response
      .writeHead(incoming.url === "/407" ? 407 : 200, {
        "proxy-authenticate": "Basic",
        "x-answer": "yes",
        connection: "x-hop",
        "x-hop": "1",
      })
      .end("hello");
  });
  const site = await listenHere(server);
  const left = [...addresses];
  const proxy = await openFilteringProxy({
    judge: createOriginJudge(parseTrustedOrigins([`http://${name}:${site.port}`], privateAddresses)),
    who: "the canvas",
    log: silentLog,
    resolveHost: () => Promise.resolve(left.shift() ?? []),
  });
  return {
    seen,
    proxy,
    origin: `http://${name}:${site.port}`,
    async get(url: string, headers = {}) {
      const sent = request({ host: "127.0.0.1", port: proxy.port, path: url, headers, agent: false });
      sent.end();
      const [response] = (await once(sent, "response")) as [IncomingMessage];
      const body = Buffer.concat(await response.toArray()).toString();
      return { status: response.statusCode, body, headers: response.headers };
    },
    /** The first line of the answer to CONNECT. */
    async tunnel(authority: string): Promise<string> {
      const socket = connect(proxy.port, "127.0.0.1");
      socket.write(`CONNECT ${authority} HTTP/1.1\r\nhost: ${authority}\r\n\r\n`);
      const [chunk] = (await once(socket, "data")) as [Buffer];
      socket.destroy();
      return chunk.toString().split("\r\n")[0] ?? "";
    },
    async [Symbol.asyncDispose]() {
      await proxy.close();
      await site[Symbol.asyncDispose]();
    },
  };
}

test("trusted origins pass, with the headers that are for the other side", async () => {
  await using pair = await startPair("localhost", [["127.0.0.1"]]);
  const answer = await pair.get(`${pair.origin}/a?b`, { "proxy-authorization": "secret", host: "other.test" });
  expect(answer).toMatchObject({ status: 200, body: "hello", headers: { "x-answer": "yes" } });
  expect(answer.headers).not.toHaveProperty("x-hop");
  expect(pair.seen).toEqual(["GET localhost/a?b"]);
});

test("a name is resolved once for a connection, and its address must be public", async () => {
  const addresses = [["127.0.0.1"], ["10.0.0.1"], ["169.254.169.254"], ["::ffff:127.0.0.1"], ["0.0.0.0"], []];
  await using pair = await startPair("trusted.test", addresses);
  for (const _ of addresses) expect(await pair.get(pair.origin)).toMatchObject({ status: 403 });
  expect(pair.seen).toEqual([]);
  expect(pair.proxy.refused()).toBe(addresses.length);
});

test("of several addresses, only those that may be used are", async () => {
  await using pair = await startPair("localhost", [["203.0.113.1", "10.0.0.1", "127.0.0.1"], ["203.0.113.1"]]);
  expect(await pair.get(pair.origin)).toMatchObject({ status: 200 });
  expect(await pair.get(`${pair.origin}/`, { connection: "close" })).toMatchObject({ status: 200 });
  expect(await pair.tunnel(new URL(pair.origin).host)).toBe("HTTP/1.1 502 Bad Gateway");
});

test("a server can't ask for a password as if it were the proxy", async () => {
  await using pair = await startPair("localhost", [["127.0.0.1"]]);
  expect(await pair.get(`${pair.origin}/407`)).toMatchObject({ status: 502 });
});

test("tunnels lead to trusted hosts and ports only", async () => {
  await using pair = await startPair("localhost", [["127.0.0.1"]]);
  const { host, port } = new URL(pair.origin);
  expect(await pair.tunnel(host)).toBe("HTTP/1.1 200 Connection established");
  for (const authority of [
    "localhost:1",
    `127.0.0.1:${port}`,
    `localhost.:${port}`,
    `LOCALHOST:${port}`,
    "localhost",
    `x@${host}`,
  ])
    expect(await pair.tunnel(authority)).toMatch(/^HTTP\/1\.1 4\d\d /);
});

test("everything else is refused", async () => {
  await using pair = await startPair("localhost", []);
  const { port } = new URL(pair.origin);
  const urls = [
    "/",
    `https://localhost:${port}/`,
    `http://localhost:${port}@evil.test/`,
    `http://a@localhost:${port}/`,
    "ftp://localhost/",
    "http://localhost/",
  ];
  for (const url of urls) expect(await pair.get(url)).toMatchObject({ status: 403 });
});

test("origins are checked when they are configured", () => {
  expect(parseTrustedOrigins(["HTTPS://Example.com:443/", "https://example.com"], false).list).toEqual([
    "https://example.com",
  ]);
  for (const text of [
    "example.com",
    "https://example.com/a",
    "https://u@example.com",
    "file:///",
    "https://*.example.com/x",
  ])
    expect(() => parseTrustedOrigins([text], false)).toThrow("trustedOrigins");
});

test.each([
  [
    "chunks the body of a GET",
    "transfer-encoding: chunked",
    "29\r\nGET /hidden HTTP/1.1\r\nhost: localhost\r\n\r\n\r\n0\r\n\r\n",
  ],
  [
    "names its length a header for one hop",
    "content-length: 41\r\nconnection: content-length",
    "GET /hidden HTTP/1.1\r\nhost: localhost\r\n\r\n",
  ],
])("a request that %s does not become two", async (_, headers, body) => {
  await using pair = await startPair("localhost", [["127.0.0.1"], ["127.0.0.1"]]);
  const socket = connect(pair.proxy.port, "127.0.0.1");
  socket.write(`GET ${pair.origin}/first HTTP/1.1\r\nhost: x\r\n${headers}\r\n\r\n${body}`);
  await once(socket, "data");
  socket.destroy();
  expect((await pair.get(`${pair.origin}/second`)).body).toBe("hello");
  expect(pair.seen).toEqual(["GET localhost/first", "GET localhost/second"]);
});

test("a listener that is handed over takes only so many connections, too", async () => {
  const judge = createOriginJudge(parseTrustedOrigins([], false));
  const proxy = createFilteringProxy({ judge, who: "a server", log: silentLog });
  const listener = createListener();
  proxy.accept(listener);
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = listener.address() as { port: number };
  const tooMany = new Promise<void>((resolve) => {
    let dropped = 0;
    listener.on("drop", () => ++dropped === 300 - 256 && resolve());
  });
  const sockets = Array.from({ length: 300 }, () => connect(port, "127.0.0.1").on("error", () => {}));
  await tooMany;
  expect(await new Promise((resolve) => void listener.getConnections((_, count) => resolve(count)))).toBe(256);
  sockets.forEach((socket) => socket.destroy());
  await proxy.close();
});
