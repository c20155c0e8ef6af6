import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Guard } from "../../catalog/guard/guard.ts";
import { Fault, type FaultCode } from "../../core/fault.ts";
import { isLoopbackPeer } from "../../core/http/addresses.ts";
import { closeGracefully, trackConnections } from "../../core/http/close-gracefully.ts";
import { listen } from "../../core/http/listen.ts";
import { toLowerCaseNames } from "../../core/http/request-headers.ts";
import { createRequestSlots } from "../../core/http/request-slots.ts";
import type { Log } from "../../core/log.ts";
import { hashToken } from "../../core/secrets/hash-token.ts";
import type { Secret } from "../../core/secrets/secret.ts";
import { type Metrics, prometheusContentType } from "../../core/telemetry/metrics.ts";
import { sendRpcFault } from "../../mcp/http/send-rpc-response.ts";
import type { ServerInfo } from "../../mcp/server/offer.ts";
import type { AppEvent, CountEvent } from "../../sources/apps/app-event.ts";
import { type MemoryBudget, smallPiece } from "../../sources/apps/memory-budget.ts";
import type { SessionRegistry } from "../../sources/apps/session/session-registry.ts";
import { createBridgeDoor } from "./bridge-door.ts";
import { createMcpRoutes } from "./mcp-routes.ts";
import { openapiText } from "./openapi.ts";
import { judgeProxyRequest, type ProxyGateRules } from "./proxy-gate.ts";
import { parseProxyRoute, type ProxyRoute, type SessionUrlFacts } from "./proxy-route.ts";
import { RateLimiter } from "./request-limits.ts";
import { sendBody, sendProblem, sendText } from "./send-problem.ts";
import { createSessionRoutes, wrongMethod } from "./session-routes.ts";
import { createWriteBackpressure } from "./write-backpressure.ts";

export interface ProxyDoorOptions {
  readonly host: string;
  readonly port: number;
  readonly sessions: SessionRegistry;
  readonly guard: Pick<Guard, "call">;
  readonly info: ServerInfo;
  readonly log: Log;
  readonly count: CountEvent;
  readonly metrics: Metrics;
  /** The same that the sessions count in. */
  readonly budget: MemoryBudget;
  /** Without one, whoever reaches that side may use it. */
  readonly appToken?: Secret | undefined;
  readonly openclawToken?: Secret | undefined;
  readonly operatorToken?: Secret | undefined;
  readonly publicUrl?: string | undefined;
  readonly allowedHosts?: readonly string[] | undefined;
  readonly allowedOrigins?: readonly string[] | undefined;
  /** Whether `X-Forwarded-Proto` is believed from everybody, not only from this machine. */
  readonly trustForwarded?: boolean | undefined;
  readonly heartbeatMs?: number | undefined;
  readonly requestsPerSecond?: number | undefined;
  readonly tokenRequestsPerSecond?: number | undefined;
  readonly sessionsPerSecond?: number | undefined;
  /** How long a connection may stand still before it is cut. */
  readonly idleMs: number;
}

export interface ProxyDoor {
  readonly port: number;
  /** `http://127.0.0.1:8000` */
  readonly address: string;
  /** Takes nothing new, gives what is being served the time, tells apps to come back, closes. */
  close(withinMs?: number): Promise<void>;
}

/** Bytes of the largest registration and MCP request, and of the largest message of an app. */
const maxBodyBytes = 4 * 1024 * 1024;
const maxMessageBytes = 72 * 1024 * 1024;
const mostConcurrent = 4096;
const sweepMs = 15_000;

/** Serves apps and MCP clients on one address. */
export async function openProxyDoor(options: ProxyDoorOptions): Promise<ProxyDoor> {
  const { host, sessions, guard, info, log, count, metrics, budget, publicUrl } = options;
  const unread = createWriteBackpressure(budget, count);
  const admission = createRequestSlots(mostConcurrent);
  const appHash = hashOf(options.appToken);
  const rules: ProxyGateRules = {
    allowedHosts: toLowerCaseNames([...(options.allowedHosts ?? []), ...(publicUrl ? [new URL(publicUrl).host] : [])]),
    allowedOrigins: options.allowedOrigins ?? [],
  };
  const bridges = createBridgeDoor({ sessions, appHash, maxMessageBytes, budget, count, log });
  const apps = createSessionRoutes({
    sessions,
    appHash,
    operatorHash: hashOf(options.operatorToken),
    changes: new RateLimiter(options.sessionsPerSecond ?? 100, Date.now),
    maxBodyBytes,
    isDraining: () => admission.isClosed,
    addressFacts,
  });
  const mcp = createMcpRoutes({
    sessions,
    guard,
    info,
    log,
    openclawHash: hashOf(options.openclawToken),
    admission,
    budget,
    requestsPerSecond: options.requestsPerSecond ?? 500,
    tokenRequestsPerSecond: options.tokenRequestsPerSecond ?? 50_000,
    maxBodyBytes,
    onRefused,
    now: Date.now,
  });
  // Clients keep connections for their next call; a request that trickles in is cut off.
  const server = createServer({ keepAliveTimeout: 65_000, headersTimeout: 15_000, requestTimeout: 60_000 }, receive);
  server.timeout = options.idleMs;
  server.on("upgrade", upgrade);
  const connections = trackConnections(server);
  server.on("connection", (socket) => unread.watch(socket));
  const { port, origin } = await listen(server, host, options.port);
  const timers = [
    setInterval(() => sessions.sweep(), sweepMs),
    setInterval(() => sessions.beat(), options.heartbeatMs ?? 15_000),
    setInterval(() => unread.measure(), 1000),
  ];
  const stopWatching = [
    metrics.watch({ name: "clawport_app_sessions", help: "App sessions." }, () => [[{}, sessions.list().length]]),
    metrics.watch({ name: "clawport_app_bridges", help: "Connected apps." }, () => [[{}, bridges.size]]),
    metrics.watch({ name: "clawport_app_held_bytes", help: "Bytes held for apps and their clients." }, () => [
      [{}, budget.held],
    ]),
  ];

  return {
    port,
    address: origin,
    async close(withinMs = 5000) {
      for (const timer of timers) clearInterval(timer);
      await closeGracefully({
        server,
        admission,
        connections,
        withinMs,
        stop: () => mcp.stop(),
        end() {
          mcp.close();
          sessions.close();
          bridges.close();
        },
      });
      for (const stop of stopWatching) stop();
    },
  };

  function receive(request: IncomingMessage, response: ServerResponse): void {
    const route = parseProxyRoute(request.url ?? "/");
    try {
      serve(request, response, route)?.catch((error: unknown) => fail(request, response, route, error));
    } catch (error) {
      fail(request, response, route, error);
    }
  }

  function fail(request: IncomingMessage, response: ServerResponse, route: ProxyRoute, error: unknown): void {
    if (error instanceof Fault) onRefused(error);
    else log.error("a request failed inside the proxy", { error });
    if (route.kind !== "mcp") return sendProblem(response, error);
    if (!request.complete) response.setHeader("connection", "close");
    sendRpcFault(response, error);
  }

  function onRefused({ code }: Fault): void {
    const event = refusals[code];
    if (event !== undefined) count(event);
  }

  /** A promise only where something has to be waited for: most requests are handed on at once. */
  function serve(request: IncomingMessage, response: ServerResponse, route: ProxyRoute): void | Promise<void> {
    const { method = "", headers } = request;
    if (route.kind === "health" && (method === "GET" || method === "HEAD")) return sendText(response, "ok");
    const isReadOnly = readOnly.has(route.kind);
    // What a path that is only read is sent is never looked at, so its type doesn't matter: the method is what is wrong.
    const verdict = judgeProxyRequest({ method: isReadOnly ? "GET" : method, headers }, rules);
    if (!verdict.pass) {
      count(verdict.code === "denied" ? "refused origin" : "bad request");
      response.setHeader("connection", "close");
      return sendBody(response, verdict.status, { detail: verdict.reason, code: verdict.code });
    }
    if (verdict.origin !== undefined) {
      response.setHeader("access-control-allow-origin", verdict.origin);
      response.setHeader("vary", "origin");
      if (method === "OPTIONS") return void response.writeHead(204, preflight).end();
    }
    holdBody(request, response);
    if (isReadOnly && method !== "GET" && method !== "HEAD") throw wrongMethod(response, "GET");
    switch (route.kind) {
      case "mcp":
        response.on("prefinish", unread.onPrefinish);
        return mcp.serve(request, response, route.id);
      case "sessions":
        return apps.collection(request, response);
      case "session":
        return apps.single(request, response, route.id);
      case "openapi":
        return sendText(response, openapiText(info.version), "application/json");
      case "metrics":
        apps.requireOperator(request);
        return sendText(response, metrics.render(), prometheusContentType);
      case "bridge":
        throw new Fault("bad-request", "The bridge is a WebSocket: connect with an upgrade.");
      default:
        throw new Fault("not-found", "There is nothing at this path. /openapi.json says what there is.");
    }
  }

  /** A body counts from its announcement to the answer; one of unknown length as the longest there may be. */
  function holdBody({ headers }: IncomingMessage, response: ServerResponse): void {
    const declared = headers["transfer-encoding"] === undefined ? Number(headers["content-length"] ?? 0) : maxBodyBytes;
    const bytes = Math.min(declared, maxBodyBytes);
    if (!(bytes > smallPiece)) return;
    if (!budget.take(bytes)) {
      count("refused for memory");
      throw new Fault("busy", "The proxy holds as much as it may already. Try again in a moment.");
    }
    response.once("close", () => budget.give(bytes));
  }

  function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on("error", (error) => log.debug("an upgrade failed", { error }));
    const route = parseProxyRoute(request.url ?? "/");
    const verdict = judgeProxyRequest({ method: "GET", headers: request.headers }, rules);
    if (!verdict.pass) {
      count("refused origin");
      return refuseUpgrade(socket, "403 Forbidden");
    }
    if (route.kind !== "bridge") return refuseUpgrade(socket, "404 Not Found");
    if (admission.isClosed) return refuseUpgrade(socket, "503 Service Unavailable");
    // From here on the bridge's own heartbeat finds the dead.
    unread.release(request.socket);
    request.socket.setTimeout(0);
    request.socket.setNoDelay(true);
    bridges.upgrade(request, socket, head, route.id).catch((error: unknown) => {
      log.error("a bridge could not be opened", { error });
      socket.destroy();
    });
  }

  function addressFacts({ headers, socket }: IncomingMessage): SessionUrlFacts {
    const proto = headers["x-forwarded-proto"];
    const isTrusted = options.trustForwarded === true || isLoopbackPeer(socket.remoteAddress);
    return {
      publicUrl,
      host: headers.host,
      forwardedProto: isTrusted && typeof proto === "string" ? proto.split(",")[0]?.trim() : undefined,
    };
  }
}

/** What a fault is counted as. Others are failures of ours, and in the log. */
const refusals: Partial<Record<FaultCode, AppEvent>> = {
  unauthorized: "refused token",
  "rate-limited": "rate limited",
  "too-large": "too large",
  "unknown-session": "unknown session",
  "bad-json": "bad request",
  "bad-method": "bad request",
  "bad-params": "bad request",
  "bad-request": "bad request",
  "not-found": "bad request",
  busy: "busy",
};

const readOnly: ReadonlySet<ProxyRoute["kind"]> = new Set(["health", "openapi", "metrics", "bridge"]);

const preflight = {
  "access-control-allow-methods": "GET, POST, PATCH, DELETE",
  "access-control-allow-headers":
    "authorization, content-type, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name",
  "access-control-max-age": "600",
};

function hashOf(token: Secret | undefined): string | undefined {
  return token === undefined ? undefined : hashToken(token.reveal());
}

function refuseUpgrade(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy());
}
