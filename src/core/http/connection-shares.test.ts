import { once } from "node:events";
import { createServer } from "node:http";
import { connect, type Socket } from "node:net";
import { expect, test } from "vitest";
import { listenHere } from "../../../tests/support/listen-here.ts";
import { until } from "../../../tests/support/until.ts";
import { connectionLimit, shareConnections } from "./connection-shares.ts";

test("of the connections that never complete a request, the oldest makes room for a new caller", async () => {
  await using web = await serve(32);
  const silent: Socket[] = [];
  for (let n = 0; n < 40; n++) silent.push(await web.open());
  await until(() => silent.filter(({ closed }) => closed).length === 8);
  expect(silent.slice(0, 8).every(({ closed }) => closed)).toBe(true);
  expect(await web.ask(await web.open(), "a")).toBe("200");
});

test("a holder has at most its half, and one that asks for more is refused, not the others", async () => {
  await using web = await serve(32);
  const sockets = await Promise.all(Array.from({ length: 16 }, () => web.open()));
  const answers = [];
  for (const socket of sockets) answers.push(await web.ask(socket, "a"));
  expect(answers).toEqual([...Array(15).fill("200"), "503"]);
  expect(await web.ask(await web.open(), "b")).toBe("200");
  sockets[0]!.destroy();
  await until(async () => (await web.ask(await web.open(), "a")) === "200");
});

test("callers together leave room for a connection whose caller is not known yet, and a part for one holder", async () => {
  await using web = await serve(32, "main");
  for (let n = 0; n < 40; n++) await web.ask(await web.open(), `caller-${n}`);
  expect(web.served).toBe(29);
  expect(await web.ask(await web.open(), "main")).toBe("200");
  expect(await web.ask(await web.open(), "main")).toBe("503");
});

test("a connection that changes hands counts for its last holder", async () => {
  await using web = await serve(4);
  const socket = await web.open();
  for (const holder of ["a", "b", "a", "b"]) expect(await web.ask(socket, holder)).toBe("200");
  expect(await web.ask(await web.open(), "a")).toBe("200");
});

test("there are never more connections than files that may be open", async () => {
  expect(await connectionLimit(64)).toBe(64);
  expect(await connectionLimit(Number.MAX_SAFE_INTEGER)).toBeGreaterThanOrEqual(16);
});

/** A server whose callers name themselves in their path. */
async function serve(max: number, reservedFor?: string) {
  let served = 0;
  const server = createServer((request, response) => {
    const isServed = shares.claim(request.socket, request.url ?? "");
    if (isServed) served++;
    else response.setHeader("connection", "close");
    response.writeHead(isServed ? 200 : 503).end();
  });
  const shares = shareConnections(server, max, reservedFor && `/${reservedFor}`);
  const listening = await listenHere(server);
  const sockets: Socket[] = [];
  return {
    get served() {
      return served;
    },
    async open(): Promise<Socket> {
      const socket = connect(listening.port, "127.0.0.1").on("error", () => {});
      sockets.push(socket);
      await once(socket, "connect");
      return socket;
    },
    /** The status that the holder gets on this connection. */
    async ask(socket: Socket, holder: string): Promise<string> {
      socket.write(`GET /${holder} HTTP/1.1\r\nhost: x\r\n\r\n`);
      const [bytes] = await once(socket, "data");
      return String(bytes).split(" ")[1] ?? "";
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await listening[Symbol.asyncDispose]();
    },
  };
}
