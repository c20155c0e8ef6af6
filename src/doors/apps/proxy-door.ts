import { createServer } from "node:http";
import type { Guard } from "../../catalog/guard/guard.ts";
import type { Fault } from "../../core/fault.ts";
import { closeGracefully, trackConnections } from "../../core/http/close-gracefully.ts";
import { listen } from "../../core/http/listen.ts";
import { toLowerCaseNames } from "../../core/http/request-headers.ts";
import { createRequestSlots } from "../../core/http/request-slots.ts";
import type { Log } from "../../core/log.ts";
import { hashToken } from "../../core/secrets/crypto.ts";
import type { Secret } from "../../core/secrets/secret.ts";
import type { Metrics } from "../../core/telemetry/metrics.ts";
import { RateLimiter } from "../../core/token-bucket.ts";
import type { ServerInfo } from "../../mcp/server/offer.ts";
import type { CountEvent } from "../../sources/apps/app-event.ts";
import type { MemoryBudget } from "../../sources/apps/memory-budget.ts";
import type { SessionRegistry } from "../../sources/apps/session/session-registry.ts";
import { createBridgeDoor } from "./bridge-door.ts";
import { createMcpRoutes } from "./mcp-routes.ts";
import { sessionUrlFacts } from "./proxy-route.ts";
import { createProxyRouter } from "./proxy-router.ts";
import { mostConcurrent } from "./request-limits.ts";
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
  /** How long a connection may be idle before it is closed. */
  readonly idleMs: number;
}

export interface ProxyDoor {
  readonly port: number;
  /** `http://127.0.0.1:8000` */
  readonly address: string;
  /** Accepts nothing new, gives running requests the time, then closes the bridges with a request to reconnect. */
  close(withinMs?: number): Promise<void>;
}

const sweepMs = 15_000;

/** Serves apps and MCP clients on one address. */
export async function openProxyDoor(options: ProxyDoorOptions): Promise<ProxyDoor> {
  const { host, sessions, guard, info, log, count, metrics, budget, publicUrl } = options;
  const backpressure = createWriteBackpressure(budget, count);
  const admission = createRequestSlots(mostConcurrent);
  const appHash = hashOf(options.appToken);
  const gateRules = {
    allowedHosts: toLowerCaseNames([...(options.allowedHosts ?? []), ...(publicUrl ? [new URL(publicUrl).host] : [])]),
    allowedOrigins: options.allowedOrigins ?? [],
  };
  const bridges = createBridgeDoor({ sessions, appHash, budget, count, log });
  const sessionRoutes = createSessionRoutes({
    sessions,
    appHash,
    operatorHash: hashOf(options.operatorToken),
    changeLimiter: new RateLimiter(options.sessionsPerSecond ?? 100, Date.now),
    isDraining: () => admission.isClosed,
    urlFacts: (request) => sessionUrlFacts(request, { publicUrl, trustForwarded: options.trustForwarded === true }),
  });
  const mcpRoutes = createMcpRoutes({
    sessions,
    guard,
    info,
    log,
    openclawHash: hashOf(options.openclawToken),
    admission,
    budget,
    requestsPerSecond: options.requestsPerSecond ?? 500,
    tokenRequestsPerSecond: options.tokenRequestsPerSecond ?? 50_000,
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
    budget,
    metrics,
    version: info.version,
    onRefused,
    count,
    log,
  });
  // Clients keep connections for their next call, but a request must not arrive slowly.
  const server = createServer(
    { keepAliveTimeout: 65_000, headersTimeout: 15_000, requestTimeout: 60_000 },
    router.receive,
  );
  server.timeout = options.idleMs;
  server.on("upgrade", router.upgrade);
  const connections = trackConnections(server);
  server.on("connection", (socket) => backpressure.watch(socket));
  const { port, origin } = await listen(server, host, options.port);
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
      for (const stop of stopWatching) stop();
    },
  };

  function onRefused({ code }: Fault): void {
    const event = refusalEvent(code);
    if (event !== undefined) count(event);
  }
}

function hashOf(token: Secret | undefined): string | undefined {
  return token === undefined ? undefined : hashToken(token.reveal());
}
