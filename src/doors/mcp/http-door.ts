import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Catalog } from "../../catalog/catalog.ts";
import { Fault } from "../../core/fault.ts";
import { isLoopbackHost, isLoopbackPeer } from "../../core/http/addresses.ts";
import { closeGracefully, trackConnections } from "../../core/http/close-gracefully.ts";
import { parseHubRoute } from "../../core/http/hub-routes.ts";
import { listen } from "../../core/http/listen.ts";
import { toLowerCaseNames } from "../../core/http/request-headers.ts";
import { createRequestSlots } from "../../core/http/request-slots.ts";
import { plainTextType, sendText } from "../../core/http/send-json.ts";
import type { Log } from "../../core/log.ts";
import { watchConnections, watchQueue, watchSessions } from "../../core/telemetry/clawport-metrics.ts";
import { type Metrics, prometheusContentType } from "../../core/telemetry/metrics.ts";
import type { Telemetry } from "../../core/telemetry/telemetry.ts";
import { sendRpcFault } from "../../mcp/http/send-rpc-response.ts";
import type { ServerInfo } from "../../mcp/server/offer.ts";
import { type ControlHandler, requireControl, requireOwner, serveControl } from "./control-route.ts";
import { type GateRefusal, type GateRules, judgeCaller, type TokenMatch } from "./gate.ts";
import { createViewEndpoints, type LargeBodies } from "./view-endpoints.ts";
import type { CallGuard } from "./view-offer.ts";

export interface HttpDoorOptions {
  readonly host: string;
  readonly port: number;
  readonly catalog: Catalog;
  readonly guard: CallGuard;
  readonly tokens: { match(presented: string): TokenMatch | undefined };
  readonly info: ServerInfo;
  readonly log: Log;
  readonly metrics?: Metrics | undefined;
  readonly telemetry?: Telemetry | undefined;
  readonly maxConcurrent?: number | undefined;
  readonly maxBodyBytes?: number | undefined;
  readonly largeBodies?: LargeBodies | undefined;
  /** Host names that clients may use if the door listens beyond this machine. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** JSON documents that anyone may read without a token, by path. */
  readonly publicDocuments?: Readonly<Record<string, object>> | undefined;
  /** Serves the owner's commands, at `/control/<area>.<verb>`. */
  readonly control?: ControlHandler | undefined;
}

export interface HttpDoor {
  readonly host: string;
  readonly port: number;
  /** Where clients connect: `http://127.0.0.1:8765/`. */
  readonly address: string;
  /** MCP sessions that are open. */
  sessionCount(): number;
  /** Accepts nothing new, waits for running requests, then closes what is left. */
  close(withinMs?: number): Promise<void>;
}

/** Serves the catalog to MCP clients over HTTP: all of it at `/` and `/mcp`, one source at `/mcp/<source>`. */
export async function openHttpDoor(options: HttpDoorOptions): Promise<HttpDoor> {
  const { host, catalog, guard, tokens, info, log, metrics, telemetry } = options;
  const maxBodyBytes = options.maxBodyBytes ?? 4 * 1024 * 1024;
  const admission = createRequestSlots(options.maxConcurrent ?? 256);
  const { largeBodies } = options;
  const endpoints = createViewEndpoints({ catalog, guard, info, log, telemetry, admission, maxBodyBytes, largeBodies });
  const documents = new Map(
    Object.entries(options.publicDocuments ?? {}).map(([path, document]) => [path, JSON.stringify(document)]),
  );
  const rules: GateRules = {
    matchToken: (presented) => tokens.match(presented),
    maxBodyBytes,
    remote: !isLoopbackHost(host),
    allowedHosts: toLowerCaseNames(options.allowedHosts ?? []),
    allowedOrigins: [],
  };
  // Clients keep connections for their next call. Node's default of 5 s would close them in between.
  const server = createServer({ keepAliveTimeout: 65_000, requestTimeout: 300_000 }, receive);
  const { port, origin } = await listen(server, host, options.port);
  const connections = trackConnections(server);
  const stopWatching = metrics
    ? [
        watchConnections(metrics, "mcp-http", () => connections.size),
        watchSessions(metrics, () => endpoints.sessionCount()),
        watchQueue(metrics, "mcp-http", () => admission.inUse),
      ]
    : [];

  return {
    host,
    port,
    address: `${origin}/`,
    sessionCount: () => endpoints.sessionCount(),
    async close(withinMs = 5000) {
      await closeGracefully({
        server,
        slots: admission,
        connections,
        withinMs,
        stop: () => endpoints.stop(),
        end: () => endpoints.close(),
      });
      for (const stop of stopWatching) stop();
    },
  };

  function receive(request: IncomingMessage, response: ServerResponse): void {
    const document = request.method === "GET" ? documents.get(request.url ?? "") : undefined;
    if (document !== undefined) return sendText(response, 200, "application/json", document);
    const verdict = judgeCaller(
      { peer: request.socket.remoteAddress, method: request.method ?? "", headers: request.headers },
      takesLargeBodies(request.url) ? { ...rules, maxBodyBytes: largeBodies!.maxBodyBytes } : rules,
    );
    if (!verdict.pass) return refuse(request, response, verdict);
    try {
      dispatch(request, response, verdict.token);
    } catch (error) {
      sendRpcFault(response, error);
    }
  }

  function takesLargeBodies(url: string | undefined): boolean {
    if (!largeBodies || url === undefined) return false;
    const route = parseHubRoute(url);
    return route.kind === "source" && route.source === largeBodies.source;
  }

  function dispatch(request: IncomingMessage, response: ServerResponse, token: TokenMatch): void {
    const route = parseHubRoute(request.url ?? "/");
    if (request.method === "GET" && route.kind === "metrics" && metrics) {
      if (token.view !== undefined)
        throw new Fault("denied", "This token is limited to one view and can't read the metrics.");
      return sendText(response, 200, prometheusContentType, metrics.render());
    }
    if (route.kind === "control" && options.control) {
      const { method, socket } = request;
      requireControl({ method, isNear: isLoopbackPeer(socket.remoteAddress), token: token.name });
      return void serveControl(request, response, route.verb, options.control);
    }
    if (route.kind === "relay" || route.kind === "terminal") {
      requireOwner({ isNear: isLoopbackPeer(request.socket.remoteAddress), token: token.name });
      // The caller has the same name as without a hub, so that approvals apply in both cases.
      if (route.kind === "relay") return endpoints.relay(route.only).handle(request, response, "stdio");
      return endpoints.terminal().handle(request, response, token.name);
    }
    if (route.kind !== "root" && route.kind !== "whole" && route.kind !== "source") {
      throw new Fault("not-found", "There is nothing at this path. MCP is at /mcp, a single source at /mcp/<source>.");
    }
    if (
      request.method === "GET" &&
      route.kind === "root" &&
      !(request.headers.accept ?? "").includes("text/event-stream")
    ) {
      return sendText(response, 200, plainTextType, probeText(info, catalog));
    }
    const source = route.kind === "source" ? route.source : token.view;
    if (token.view !== undefined && source !== token.view) {
      throw new Fault("denied", `This token is limited to the view ${JSON.stringify(token.view)}.`);
    }
    const endpoint = source === undefined ? endpoints.whole() : endpoints.ofSource(source);
    if (!endpoint) throw new Fault("not-found", "There is no such source. Run `clawport servers` to list the servers.");
    endpoint.handle(request, response, token.name);
  }

  function refuse(request: IncomingMessage, response: ServerResponse, verdict: GateRefusal): void {
    log.debug("refused a caller at the gate", { status: verdict.status, reason: verdict.reason });
    // The body of a refused request is not read, and the rest of it could be taken for the next request.
    if (request.method !== "GET") response.setHeader("connection", "close");
    if (verdict.status === 405 && verdict.allow) response.setHeader("allow", verdict.allow);
    if (verdict.status === 401) response.setHeader("www-authenticate", challenge);
    // The tray's contract for `/`: no body without a token. There only the challenge says what to do.
    const isBare = verdict.status === 401 && parseHubRoute(request.url ?? "/").kind === "root";
    const body = isBare ? "" : `${verdict.reason}\n`;
    sendText(response, verdict.status, plainTextType, body);
  }
}

const challenge = 'Bearer realm="Clawport: run `clawport token show` to print the token"';

/** What `GET /` shows a person who checks whether the hub is running. */
function probeText(info: ServerInfo, catalog: Catalog): string {
  const sources = catalog.sources().map((source) => `  ${source.id}: ${source.tools().length} tools`);
  return [
    `${info.title ?? info.name} ${info.version} is running.`,
    `${catalog.tools().length} tools from ${sources.length} sources${sources.length > 0 ? ":" : "."}`,
    ...sources,
    "",
    "MCP clients send POST requests to this address or to /mcp. A single source is at /mcp/<source>.",
    "",
  ].join("\n");
}
