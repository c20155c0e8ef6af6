import { createSocket } from "node:dgram";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { WebSocketServer } from "ws";

/** The page that the canvas trusts, and that does its worst. */
export async function startHostileSite(): Promise<AsyncDisposable & { readonly origin: string }> {
  const page = readFileSync(join(import.meta.dirname, "hostile-page.html"));
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://site");
    const to = url.searchParams.get("to") ?? "/";
    const html = { "content-type": "text/html" };
    const answers: Record<string, () => void> = {
      "/redirect": () => response.writeHead(302, { location: to }).end(),
      "/refresh": () => response.writeHead(200, { ...html, refresh: `0; url=${to}` }).end("refresh"),
      "/leave": () => response.writeHead(200, html).end(`<script>location = ${JSON.stringify(to)}</script>`),
      "/policy": () => {
        const report = url.searchParams.get("report") ?? "";
        const policy = `img-src 'none'; report-uri ${report}`;
        response.writeHead(200, { ...html, "content-security-policy": policy }).end('<img src="/hello">');
      },
      "/sw.js": () => {
        response.writeHead(200, { "content-type": "text/javascript", "service-worker-allowed": "/" });
        response.end(
          `oninstall = (event) => event.waitUntil(fetch(${JSON.stringify(to)}, { mode: "no-cors" }).catch(() => {}))`,
        );
      },
      "/download": () =>
        response.writeHead(200, { "content-disposition": "attachment; filename=payload.txt" }).end("payload"),
      "/hello": () => response.writeHead(200).end("hello"),
    };
    const answer = answers[url.pathname] ?? (() => response.writeHead(200, html).end(page));
    answer();
  });
  new WebSocketServer({ server }).on("connection", (socket) => socket.send("hello"));
  const port = await listenAt(server, 0, "127.0.0.1");
  return {
    origin: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Everything that reaches any address of this machine on one port, over TCP or UDP. */
export interface Victim extends AsyncDisposable {
  readonly port: number;
  /** The paths of requests, `tcp` for each connection, and `udp` for each packet. */
  readonly arrived: string[];
}

export async function startVictim(): Promise<Victim> {
  const arrived: string[] = [];
  const server: Server = createServer((request, response) => {
    arrived.push(request.url ?? "");
    response.writeHead(200, { "access-control-allow-origin": "*" }).end("window.stolen = 1");
  });
  server.on("upgrade", (request, socket) => {
    arrived.push(request.url ?? "");
    socket.destroy();
  });
  server.on("connection", () => arrived.push("tcp"));
  server.on("clientError", (_, socket) => socket.destroy());
  const port = await listenAt(server, 0, "::");
  const packets = createSocket({ type: "udp6", ipv6Only: false });
  packets.on("message", () => arrived.push("udp"));
  packets.bind(port, "::");
  await once(packets, "listening");
  return {
    port,
    arrived,
    async [Symbol.asyncDispose]() {
      packets.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A name server for which every name is this machine. */
export interface NameServer extends AsyncDisposable {
  readonly address: string;
  readonly asked: Set<string>;
}

export async function startNameServer(address: string): Promise<NameServer> {
  const asked = new Set<string>();
  const socket = createSocket("udp4");
  socket.on("message", (query, { port, address: from }) => {
    const labels: string[] = [];
    let at = 12;
    for (let length = query[at]!; length > 0; length = query[at]!) {
      labels.push(query.subarray(at + 1, at + 1 + length).toString("latin1"));
      at += length + 1;
    }
    asked.add(labels.join(".").toLowerCase());
    const question = query.subarray(12, at + 5);
    const isA = question.readUInt16BE(question.length - 4) === 1;
    const header = Buffer.from(query.subarray(0, 12));
    header.writeUInt16BE(0x8180, 2);
    header.writeUInt16BE(isA ? 1 : 0, 6);
    header.writeUInt32BE(0, 8);
    const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, 127, 0, 0, 1]);
    socket.send(Buffer.concat([header, question, ...(isA ? [record] : [])]), port, from);
  });
  socket.bind(53, address);
  await once(socket, "listening");
  return {
    address,
    asked,
    async [Symbol.asyncDispose]() {
      socket.close();
      await once(socket, "close");
    },
  };
}

async function listenAt(server: Server, port: number, host: string): Promise<number> {
  server.listen(port, host);
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}
