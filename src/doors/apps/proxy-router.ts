import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { Fault, toFault } from "../../core/fault.ts";
import type { RequestSlots } from "../../core/http/request-slots.ts";
import { plainTextType, sendJson, sendText } from "../../core/http/send-json.ts";
import type { Log } from "../../core/log.ts";
import { type Metrics, prometheusContentType } from "../../core/telemetry/metrics.ts";
import type { CountEvent } from "../../sources/apps/app-event.ts";
import type { BridgeDoor } from "./bridge-door.ts";
import type { McpRoutes } from "./mcp-routes.ts";
import { openapiText } from "./openapi.ts";
import { answerCors, judgeProxyRequest, type ProxyGateRules } from "./proxy-gate.ts";
import { parseProxyRoute, type ProxyRoute } from "./proxy-route.ts";
import type { ReserveBody } from "./request-limits.ts";
import { sendFailure, wrongMethod } from "./send-problem.ts";
import type { SessionRoutes } from "./session-routes.ts";
import type { WriteBackpressure } from "./write-backpressure.ts";

export interface ProxyRouterOptions {
  readonly gateRules: ProxyGateRules;
  readonly sessionRoutes: SessionRoutes;
  readonly mcpRoutes: McpRoutes;
  readonly bridges: BridgeDoor;
  readonly backpressure: WriteBackpressure;
  readonly admission: RequestSlots;
  /** Why no new work should be sent here; undefined if it may be. */
  readonly notReady: () => string | undefined;
  readonly reserveBody: ReserveBody;
  readonly metrics: Metrics;
  /** The version that `/openapi.json` states. */
  readonly version: string;
  /** Called with each fault that a request ends with. */
  readonly onRefused: (fault: Fault) => void;
  readonly count: CountEvent;
  readonly log: Log;
}

/** Checks each request at the gate, then hands it to the routes of its path. */
export interface ProxyRouter {
  receive(request: IncomingMessage, response: ServerResponse): void;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

export function createProxyRouter(options: ProxyRouterOptions): ProxyRouter {
  const { gateRules, sessionRoutes, mcpRoutes, bridges, backpressure, admission, metrics, count, log } = options;

  return {
    receive(request, response) {
      const route = parseProxyRoute(request.url ?? "/");
      try {
        serve(request, response, route)?.catch((error: unknown) => fail(response, route, error));
      } catch (error) {
        fail(response, route, error);
      }
    },
    upgrade(request, socket, head) {
      socket.on("error", (error) => log.debug("an upgrade failed", { error }));
      const route = parseProxyRoute(request.url ?? "/");
      const { headers, rawHeaders, httpVersion } = request;
      const verdict = judgeProxyRequest({ method: "GET", headers, rawHeaders, httpVersion }, gateRules);
      if (!verdict.pass) {
        count(verdict.code === "denied" ? "refused origin" : "bad request");
        return refuseUpgrade(socket, verdict.status);
      }
      if (route.kind !== "bridge") return refuseUpgrade(socket, 404);
      if (admission.isClosed || options.notReady() !== undefined) return refuseUpgrade(socket, 503);
      // From here on the bridge's own heartbeat detects a dead connection.
      backpressure.release(request.socket);
      request.socket.setTimeout(0);
      request.socket.setNoDelay(true);
      bridges.upgrade(request, socket, head, route.id).catch((error: unknown) => {
        const { code, row } = toFault(error);
        if (code === "internal") log.error("a bridge could not be opened", { error });
        refuseUpgrade(socket, row.http);
      });
    },
  };

  /** Returns a promise only if it has to wait: most requests are handed on without one. */
  function serve(request: IncomingMessage, response: ServerResponse, route: ProxyRoute): void | Promise<void> {
    const { method = "", headers, rawHeaders, httpVersion } = request;
    if (route.kind === "health" && (method === "GET" || method === "HEAD"))
      return sendText(response, 200, plainTextType, "ok");
    if (route.kind === "ready" && (method === "GET" || method === "HEAD")) {
      const why = options.notReady();
      return sendText(response, why === undefined ? 200 : 503, plainTextType, why ?? "ready");
    }
    const isReadOnly = readOnlyRoutes.has(route.kind);
    // A read-only path never reads a body, so the content type doesn't matter there: a POST gets the error for its method.
    const facts = { method: isReadOnly ? "GET" : method, headers, rawHeaders, httpVersion };
    const verdict = judgeProxyRequest(facts, gateRules);
    if (!verdict.pass) {
      count(verdict.code === "denied" ? "refused origin" : "bad request");
      response.setHeader("connection", "close");
      return sendJson(response, verdict.status, { detail: verdict.reason, code: verdict.code });
    }
    if (verdict.origin !== undefined && answerCors(response, method, verdict.origin)) return;
    options.reserveBody(request, response, sessionIdOf(route, headers));
    if (isReadOnly && method !== "GET" && method !== "HEAD") throw wrongMethod(response, "GET");
    switch (route.kind) {
      case "mcp":
        response.on("prefinish", backpressure.onPrefinish);
        return mcpRoutes.serve(request, response, route.id);
      case "sessions":
        return sessionRoutes.collection(request, response);
      case "session":
        return sessionRoutes.single(request, response, route.id);
      case "openapi":
        return sendText(response, 200, "application/json", openapiText(options.version));
      case "metrics":
        sessionRoutes.requireOperator(request);
        return sendText(response, 200, prometheusContentType, metrics.render());
      case "bridge":
        throw new Fault("bad-request", "This path is a WebSocket. Connect to it with an upgrade request.");
      default:
        throw new Fault("not-found", "There is nothing at this path. See /openapi.json for all paths.");
    }
  }

  function fail(response: ServerResponse, route: ProxyRoute, error: unknown): void {
    if (error instanceof Fault) options.onRefused(error);
    else log.error("a request failed inside the proxy", { error });
    sendFailure(response, route, error);
  }
}

/** The session that a request names, whether or not there is one; empty if it names none. */
function sessionIdOf(route: ProxyRoute, headers: IncomingMessage["headers"]): string {
  const id = ("id" in route ? route.id : undefined) ?? headers["mcp-session-id"];
  return typeof id === "string" ? id : "";
}

const readOnlyRoutes: ReadonlySet<ProxyRoute["kind"]> = new Set(["health", "ready", "openapi", "metrics", "bridge"]);

function refuseUpgrade(socket: Duplex, status: number): void {
  const retry = status === 503 ? "Retry-After: 1\r\n" : "";
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${retry}Connection: close\r\nContent-Length: 0\r\n\r\n`,
    () => socket.destroy(),
  );
}
