import { createServer } from "node:http";
import type { Guard } from "../../catalog/guard/guard.ts";
import type { Fault } from "../../core/fault.ts";
import { arrivalTimeouts, createBodyIntake } from "../../core/http/body-intake.ts";
import { closeGracefully, trackConnections } from "../../core/http/close-gracefully.ts";
import { connectionLimit, shareConnections } from "../../core/http/connection-shares.ts";
import { listen } from "../../core/http/listen.ts";
import { toLowerCaseNames } from "../../core/http/request-headers.ts";
import { createRequestSlots } from "../../core/http/request-slots.ts";
import { fairRules } from "../../core/http/shares.ts";
import type { Log } from "../../core/log.ts";
import { hashToken } from "../../core/secrets/crypto.ts";
import type { Secret } from "../../core/secrets/secret.ts";
import { sleep } from "../../core/wait.ts";
import type { Metrics } from "../../core/telemetry/metrics.ts";
import { RateLimiter, type SharedUsage } from "../../core/token-bucket.ts";
import type { ServerInfo } from "../../mcp/server/offer.ts";
import type { CountEvent } from "../../sources/apps/app-event.ts";
import type { MemoryBudget } from "../../sources/apps/memory-budget.ts";
import type { SessionRegistry } from "../../sources/apps/session/session-registry.ts";
import { createBridgeDoor } from "./bridge-door.ts";
import { createMcpRoutes } from "./mcp-routes.ts";
import { sessionUrlFacts } from "./proxy-route.ts";
import { createProxyRouter } from "./proxy-router.ts";
import { createBodyReserver, maxBodyBytes, maxConcurrent, maxConnections } from "./request-limits.ts";
import { refusalEvent } from "./send-problem.ts";
import { createSessionRoutes } from "./session-routes.ts";
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
  /** The same budget that the sessions use. */
  readonly budget: MemoryBudget;
  /** What the names of apps' tools begin with in the hub that this is a part of. */
  readonly prefix?: string | undefined;
  /** Without a token, every client that can connect may use that side. */
  readonly appToken?: Secret | undefined;
  readonly openclawToken?: Secret | undefined;
  readonly operatorToken?: Secret | undefined;
  readonly publicUrl?: string | undefined;
  readonly allowedHosts?: readonly string[] | undefined;
  readonly allowedOrigins?: readonly string[] | undefined;
  /** Whether `X-Forwarded-Proto` is trusted from every sender, not only from this machine. */
  readonly trustForwarded?: boolean | undefined;
  readonly heartbeatMs?: number | undefined;
  readonly requestsPerSecond?: number | undefined;
  readonly tokenRequestsPerSecond?: number | undefined;
  readonly sessionsPerSecond?: number | undefined;
  readonly maxConcurrent?: number | undefined;
  readonly maxConnections?: number | undefined;
  /** How long a body may take that comes slowly; 30 s unless given. */
  readonly bodyTimeoutMs?: number | undefined;
  /** How long a connection may be idle before it is closed. */
  readonly idleMs: number;
  /** Why sessions and other instances can't be reached right now; undefined if they can. */
  readonly problem?: (() => string | undefined) | undefined;
  /** Makes the rate limits those of all instances together. */
  readonly sharedUsage?: SharedUsage | undefined;
}

export interface ProxyDoor {
  readonly port: number;
  /** `http://127.0.0.1:8000` */
  readonly address: string;
  /** Takes no more apps, and asks those that are here to connect to another instance. Requests are still served. */
  drain(withinMs: number): Promise<void>;
  /** Accepts nothing new, gives running requests the time, then closes the bridges with a request to reconnect. */
  close(withinMs?: number): Promise<void>;
}

const sweepMs = 15_000;
/** How long a draining instance still serves requests, for balancers that have not noticed. */
const noticeMs = 2000;

/** Serves apps and MCP clients on one address. */
export async function openProxyDoor(options: ProxyDoorOptions): Promise<ProxyDoor> {
  const { host, sessions, guard, info, log, count, metrics, budget, publicUrl } = options;
  let isDraining = false;
  const backpressure = createWriteBackpressure(budget, count);
  const admission = createRequestSlots(fairRules(options.maxConcurrent ?? maxConcurrent));
  const intake = createBodyIntake({ timeoutMs: options.bodyTimeoutMs });
  const server = createServer(arrivalTimeouts(maxBodyBytes));
  const connectionShares = shareConnections(server, await connectionLimit(options.maxConnections ?? maxConnections));
  const shared = { intake, connections: connectionShares };
  const appHash = hashOf(options.appToken);
  const gateRules = {
    allowedHosts: toLowerCaseNames([...(options.allowedHosts ?? []), ...(publicUrl ? [new URL(publicUrl).host] : [])]),
    allowedOrigins: options.allowedOrigins ?? [],
  };
  const bridges = createBridgeDoor({
    sessions,
    appHash,
    isDraining: () => isDraining,
    connections: connectionShares,
    budget,
    count,
    log,
  });
  const changeLimiter = new RateLimiter(options.sessionsPerSecond ?? 100, Date.now);
  const leaveUsage = options.sharedUsage?.join("changes", changeLimiter);
  const sessionRoutes = createSessionRoutes({
    sessions,
    appHash,
    operatorHash: hashOf(options.operatorToken),
    changeLimiter,
    ...shared,
    notReady,
    urlFacts: (request) => sessionUrlFacts(request, { publicUrl, trustForwarded: options.trustForwarded === true }),
  });
  const mcpRoutes = createMcpRoutes({
    sessions,
    guard,
    info,
    log,
    openclawHash: hashOf(options.openclawToken),
    admission,
    ...shared,
    budget,
    prefix: options.prefix,
    requestsPerSecond: options.requestsPerSecond ?? 500,
    tokenRequestsPerSecond: options.tokenRequestsPerSecond ?? 50_000,
    sharedUsage: options.sharedUsage,
    onRefused,
    now: Date.now,
  });
  const router = createProxyRouter({
    gateRules,
    sessionRoutes,
    mcpRoutes,
    bridges,
    backpressure,
    admission,
    notReady,
    reserveBody: createBodyReserver(budget, count),
    metrics,
    version: info.version,
    onRefused,
    count,
    log,
  });
  server.timeout = options.idleMs;
  server.on("request", router.receive);
  server.on("upgrade", router.upgrade);
  const connections = trackConnections(server);
  server.on("connection", (socket) => backpressure.watch(socket));
  const { port, origin } = await listen(server, host, options.port).catch((error: unknown) => {
    intake.close();
    throw error;
  });
  const timers = [
    setInterval(() => sessions.sweep(), sweepMs),
    setInterval(() => sessions.beat(), options.heartbeatMs ?? 15_000),
    setInterval(() => backpressure.measure(), 1000),
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
    async drain(withinMs) {
      isDraining = true;
      await sessions.moveBridges(withinMs);
      // Until the balancer has seen that this instance is no longer ready, requests come in and are served.
      await sleep(Math.min(withinMs, noticeMs));
    },
    async close(withinMs = 5000) {
      for (const timer of timers) clearInterval(timer);
      await closeGracefully({
        server,
        slots: admission,
        connections,
        withinMs,
        stop: () => mcpRoutes.stop(),
        end() {
          mcpRoutes.close();
          sessions.close();
          bridges.close();
        },
      });
      intake.close();
      leaveUsage?.();
      for (const stop of stopWatching) stop();
    },
  };

  function notReady(): string | undefined {
    if (isDraining || admission.isClosed) return "draining";
    return options.problem?.();
  }

  function onRefused({ code }: Fault): void {
    const event = refusalEvent(code);
    if (event !== undefined) count(event);
  }
}

function hashOf(token: Secret | undefined): string | undefined {
  return token === undefined ? undefined : hashToken(token.reveal());
}
