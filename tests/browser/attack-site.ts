import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

export interface Site extends AsyncDisposable {
  readonly port: number;
  /** The names of the attacks that arrived, whatever the answer. */
  readonly arrived: Set<string>;
}

const page = readFileSync(join(import.meta.dirname, "attack-page.html"));

/** Serves the attacking page, and what its tricks need from an attacker's server. */
export function openAttackSite(port = 0): Promise<Site> {
  return openSite(port, (request, response) => {
    const url = new URL(request.url ?? "/", "http://site");
    if (url.pathname === "/redirect") {
      // 307 makes the browser repeat method and body.
      response.writeHead(307, { location: url.searchParams.get("to") ?? "/" }).end();
    } else if (url.pathname === "/csp") {
      const policy = `img-src 'none'; report-uri ${url.searchParams.get("report") ?? "/"}`;
      response.writeHead(200, { "content-type": "text/html", "content-security-policy": policy });
      response.end('<img src="/blocked.png">');
    } else if (url.pathname === "/") {
      response.writeHead(200, { "content-type": "text/html" }).end(page);
    } else response.writeHead(204).end();
  });
}

/** A server without a gate: it receives everything that a page can send. */
export function openNaiveServer(): Promise<Site> {
  return openSite(0, (request, response) => {
    request.resume();
    response.writeHead(request.method === "OPTIONS" ? 403 : 200, { "content-type": "text/plain" }).end("hello");
  });
}

async function openSite(port: number, answer: RequestListener): Promise<Site> {
  const arrived = new Set<string>();
  const server: Server = createServer((request, response) => {
    const name = new URL(request.url ?? "/", "http://site").searchParams.get("attack");
    if (name !== null) arrived.add(name);
    answer(request, response);
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    arrived,
    async [Symbol.asyncDispose]() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
