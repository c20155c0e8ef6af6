import { lookup as lookUp } from "node:dns/promises";
import {
  Agent,
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type Server as HttpServer,
  type ServerResponse,
} from "node:http";
import { connect, isIP, isIPv6, type LookupFunction, type Server } from "node:net";
import type { Duplex } from "node:stream";
import { callbackify } from "node:util";
import { Fault } from "../fault.ts";
import { listen } from "./listen.ts";
import type { Log } from "../log.ts";

/** Undefined if it may pass; else why not, as the rest of a sentence that begins with the target. */
export type Refusal = string | undefined;

/** What may pass a proxy. */
export interface ProxyJudge {
  /** For a plain request. */
  url(url: URL): Refusal;
  /** For a tunnel, whose content can't be seen: WebSockets and https. `authority` is `host:port` as in CONNECT. */
  tunnel(authority: string): Refusal;
  /** For an address that the host of a request or tunnel resolves to. */
  address(host: string, address: string): Refusal;
}

/**
 * The only way out for a program that is kept from the network. A browser, say, has too many ways to make a request
 * (redirects, popups, workers, prefetching …) to be watched from inside; here all of them arrive.
 */
export interface FilteringProxy {
  /** Takes the connections of this server, too. It is closed with the proxy. */
  accept(server: Server): void;
  /** How many requests were refused. */
  refused(): number;
  close(): Promise<void>;
}

export interface FilteringProxyOptions {
  readonly judge: ProxyJudge;
  readonly log: Log;
  /** Who is kept from an address, for the log. */
  readonly who: string;
  onRefused?(target: string, reason: string): void;
  /** All addresses that a host name resolves to. */
  readonly resolveHost?: (host: string) => Promise<readonly string[]>;
}

const maxConnections = 256;
const connectMs = 20_000;
const idleMs = 300_000;

/** A proxy at a port of its own. */
export async function openFilteringProxy(
  options: FilteringProxyOptions,
): Promise<FilteringProxy & { readonly port: number }> {
  const proxy = createFilteringProxy(options);
  const { port } = await listen(proxy.server, "127.0.0.1", 0);
  return { ...proxy, port };
}

/** A proxy that listens nowhere yet. */
export function createFilteringProxy(options: FilteringProxyOptions): FilteringProxy & { readonly server: HttpServer } {
  const { judge, log, resolveHost = resolveBySystem } = options;
  const others = new Set<Server>();
  const agent = new Agent({ keepAlive: true, maxSockets: 32 });
  const sockets = new Set<Duplex>();
  let refused = 0;

  function noteRefusal(target: string, reason: string): void {
    refused++;
    log.debug(`${options.who} was kept from an address`, { target: target.slice(0, 200), reason });
    options.onRefused?.(target.slice(0, 200), reason);
  }

  const resolve = callbackify((host: string) => resolveJudged(host, judge, resolveHost));
  /** What is connected to is what was judged: the name is not resolved a second time. */
  const lookup: LookupFunction = (host, { all }, done) =>
    resolve(host, (error, addresses) => {
      if (error !== null) {
        noteRefusal(host, error.message);
        return done(error, "");
      }
      const found = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
      if (all === true) done(null, found);
      else done(null, found[0]!.address, found[0]!.family);
    });

  function forward(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const url = URL.parse(incoming.url ?? "");
    const reason: Refusal = url === null ? "is not an absolute URL" : (tunnelsOnly(url) ?? judge.url(url));
    if (url === null || reason !== undefined) {
      noteRefusal(incoming.url ?? "", reason ?? "");
      return answer(outgoing, 403, "Clawport refused this address: it is not one of those that were allowed.");
    }
    const passed = request({
      host: url.hostname.replace(/^\[|\]$/g, ""),
      port: url.port === "" ? 80 : url.port,
      path: url.pathname + url.search,
      method: incoming.method,
      headers: { ...endToEnd(incoming.headers), ...framingOf(incoming.headers), host: url.host },
      agent,
      lookup,
      timeout: idleMs,
    });
    passed.once("response", (response) => {
      // It would make the browser ask the user for a password, in the name of the proxy.
      if (response.statusCode === 407) {
        response.resume();
        return answer(outgoing, 502, "The server answered as a proxy would.");
      }
      outgoing.writeHead(response.statusCode ?? 502, endToEnd(response.headersDistinct));
      response.on("error", () => outgoing.destroy());
      response.pipe(outgoing);
    });
    passed.on("timeout", () => passed.destroy());
    passed.on("error", (error) => {
      const isRefused = error instanceof Fault;
      answer(outgoing, isRefused ? 403 : 502, isRefused ? error.message : "The server could not be reached.");
    });
    outgoing.on("close", () => passed.destroy());
    incoming.on("error", () => passed.destroy());
    incoming.pipe(passed);
  }

  function tunnel(incoming: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on("error", () => socket.destroy());
    const authority = incoming.url ?? "";
    const reason = judge.tunnel(authority);
    if (reason !== undefined) {
      noteRefusal(authority, reason);
      return void socket.end("HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n");
    }
    const { hostname, port } = new URL(`tunnel://${authority}`);
    const server = connect({ host: hostname.replace(/^\[|\]$/g, ""), port: Number(port), lookup });
    track(server);
    let isOpen = false;
    server.setTimeout(connectMs, () => server.destroy());
    server.once("connect", () => {
      isOpen = true;
      server.setTimeout(idleMs);
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      if (head.length > 0) server.write(head);
      server.pipe(socket);
      socket.pipe(server);
    });
    server.on("error", () => {});
    server.once("close", () => {
      if (isOpen) socket.destroy();
      else socket.end("HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n");
    });
    socket.once("close", () => server.destroy());
  }

  function track(socket: Duplex): void {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  }

  const server = createServer(forward);
  // Each is a descriptor of this process, which serves others, too.
  server.maxConnections = maxConnections;
  server.on("connection", track);
  server.on("connect", tunnel);
  return {
    server,
    accept(other) {
      others.add(other);
      other.maxConnections = maxConnections;
      other.on("connection", (socket) => server.emit("connection", socket));
    },
    refused: () => refused,
    async close() {
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      for (const other of others) other.close();
      for (const socket of sockets) socket.destroy();
      agent.destroy();
      await closed;
    },
  };
}

/** A browser asks for https by a tunnel; a plain request for it would go out unencrypted. */
function tunnelsOnly({ protocol }: URL): Refusal {
  return protocol === "http:" ? undefined : "is not a plain web address";
}

async function resolveJudged(
  host: string,
  judge: ProxyJudge,
  resolveHost: (host: string) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const addresses = await resolveHost(host);
  const passing = addresses.filter((address) => judge.address(host, address) === undefined);
  if (passing.length > 0) return passing;
  const reason = addresses[0] === undefined ? "has no address" : judge.address(host, addresses[0]);
  throw new Fault("denied", `Clawport refused ${host}: it ${reason}.`);
}

async function resolveBySystem(host: string): Promise<readonly string[]> {
  if (isIP(host) !== 0) return [host];
  return (await lookUp(host, { all: true })).map(({ address }) => address);
}

const hopByHop = new Set([
  "connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection", "te", "trailer",
  "transfer-encoding", "upgrade",
]); // prettier-ignore

/**
 * How the body is framed is decided here: if a request could name `content-length` a header for this hop, or chunk the body of
 * a GET, its body would be sent as it is, and read as the next request (RFC 9112, 11.2).
 */
function framingOf(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const length = headers["content-length"];
  if (length !== undefined) return { "content-length": length };
  return headers["transfer-encoding"] === undefined ? {} : { "transfer-encoding": "chunked" };
}

/** The headers for the other side; RFC 9110, 7.6.1. */
function endToEnd<Headers extends IncomingHttpHeaders | NodeJS.Dict<string[]>>(headers: Headers): Headers {
  const named = String(headers["connection"] ?? "")
    .toLowerCase()
    .split(/\s*,\s*/);
  const kept = Object.entries(headers).filter(([name]) => !hopByHop.has(name) && !named.includes(name));
  return Object.fromEntries(kept) as Headers;
}

function answer(outgoing: ServerResponse, status: number, text: string): void {
  if (outgoing.headersSent) return void outgoing.destroy();
  outgoing.writeHead(status, { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" });
  outgoing.end(text);
}
