import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import { getHeapStatistics } from "node:v8";
import type { Catalog } from "../../catalog/catalog.ts";
import { Fault } from "../../core/fault.ts";
import { isLoopbackHost } from "../../core/http/addresses.ts";
import { arrivalTimeouts, createBodyIntake } from "../../core/http/body-intake.ts";
import { closeGracefully, joinConnections, trackConnections } from "../../core/http/close-gracefully.ts";
import { type ConnectionShares, connectionLimit, shareConnections } from "../../core/http/connection-shares.ts";
import { isConsolePath, parseHubRoute } from "../../core/http/hub-routes.ts";
import { listen } from "../../core/http/listen.ts";
import { toLowerCaseNames } from "../../core/http/request-headers.ts";
import { createRequestSlots } from "../../core/http/request-slots.ts";
import { plainTextType, sendText } from "../../core/http/send-json.ts";
import { fairRules } from "../../core/http/shares.ts";
import type { Log } from "../../core/log.ts";
import {
  watchConnections,
  watchQueue,
  watchRefusedTokens,
  watchSessions,
} from "../../core/telemetry/clawport-metrics.ts";
import type { Metrics } from "../../core/telemetry/metrics.ts";
import type { Telemetry } from "../../core/telemetry/telemetry.ts";
import { sendRpcFault } from "../../mcp/http/send-rpc-response.ts";
import type { ServerInfo } from "../../mcp/server/offer.ts";
import type { AgentAccess } from "./agent-access.ts";
import type { ControlHandler } from "./control-route.ts";
import { type GateRefusal, type GateRules, judgeCaller, mainTokenName } from "./gate.ts";
import { createHttpRouter } from "./http-router.ts";
import type { HubKeys } from "./hub-keys.ts";
import { createRefusedTokens, type RefusedTokenCounts } from "./refused-tokens.ts";
import type { Results } from "./results/results.ts";
import type { ScriptSettings } from "./scripts/script-offer.ts";
import { openSessionLog, pruneSessionLogs, type SessionLog, sessionLogFile } from "./session-log.ts";
import type { Surfaces } from "./surface/surfaces.ts";
import type { Tokens } from "./tokens.ts";
import { createViewEndpoints, type LargeBodies, type ToolNaming } from "./view-endpoints.ts";
import type { CallGuard } from "./view-offer.ts";

/** Undefined while there is none. */
export type PublicDocument = () => object | undefined;

export interface HttpDoorOptions {
  readonly host: string;
  readonly port: number;
  readonly catalog: Catalog;
  readonly guard: CallGuard;
  readonly tokens: Pick<Tokens, "match"> & Partial<Tokens>;
  /** The folder where sessions are kept, so that they outlive this process. Without one they end with it. */
  readonly sessionFolder?: string | undefined;
  readonly info: ServerInfo;
  readonly log: Log;
  readonly metrics?: Metrics | undefined;
  readonly telemetry?: Telemetry | undefined;
  readonly maxConcurrent?: number | undefined;
  readonly maxBodyBytes?: number | undefined;
  /** Bytes in memory of all bodies that are arriving; an eighth of the heap unless given. */
  readonly maxArrivingBytes?: number | undefined;
  /** 4096 unless given, or fewer if the process may not open that many files. */
  readonly maxConnections?: number | undefined;
  /** How long the head of a request may take to arrive; 15 s unless given. */
  readonly headersTimeoutMs?: number | undefined;
  /** How long a body may take that comes slowly; 30 s unless given. */
  readonly bodyTimeoutMs?: number | undefined;
  readonly largeBodies?: LargeBodies | undefined;
  /** Host names that clients may use if the door listens beyond this machine. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** JSON documents that anyone may read without a token, by path. */
  readonly publicDocuments?: Readonly<Record<string, PublicDocument>> | undefined;
  /** For the agent of the program that hosts this door. */
  readonly agent?: AgentAccess | undefined;
  /** How tools are called at `/` and `/mcp`; `short` unless given. */
  readonly toolNames?: ToolNaming | undefined;
  /** How clients get the tools at `/` and `/mcp`; all in one list unless given. */
  readonly surfaces?: Surfaces | undefined;
  /** Runs scripts of clients, at `/` and `/mcp`. Without it there are none. */
  readonly scripts?: ScriptSettings | undefined;
  /** Where large results go, at `/` and `/mcp`. Without it they are sent whole. */
  readonly results?: Results | undefined;
  /** Serves the owner's commands and relays, at a socket that only the owner's processes reach. */
  readonly local?: LocalDoorOptions | undefined;
  /** Serves the owner's browser, at `/console/`, behind a gate of its own. */
  readonly console?: ((request: IncomingMessage, response: ServerResponse) => void) | undefined;
}

export interface LocalDoorOptions {
  /** Has the server listen at the socket, and returns its path. */
  listen(server: Server): Promise<string>;
  readonly keys: HubKeys;
  /** Answers at `/control/<area>.<verb>`. */
  readonly control: ControlHandler;
}

export interface HttpDoor {
  /** The path of the socket for the owner's processes, if there is one. */
  readonly socket: string | undefined;
  readonly host: string;
  readonly port: number;
  /** Where clients connect: `http://127.0.0.1:8765/`. */
  readonly address: string;
  /** MCP sessions that are open. */
  sessionCount(): number;
  /** Requests that were refused because of their token. */
  refusedTokens(): RefusedTokenCounts;
  /** Accepts nothing new, waits for running requests, then closes what is left. */
  close(withinMs?: number): Promise<void>;
}

/** Serves the catalog to MCP clients over HTTP: all of it at `/` and `/mcp`, one source at `/mcp/<source>`. */
export async function openHttpDoor(options: HttpDoorOptions): Promise<HttpDoor> {
  const { host, catalog, guard, tokens, info, log, metrics, telemetry } = options;
  const maxBodyBytes = options.maxBodyBytes ?? 4 * 1024 * 1024;
  const { largeBodies } = options;
  const largestBody = Math.max(maxBodyBytes, largeBodies?.maxBodyBytes ?? 0);
  const fairly = (max: number) => fairRules(max, mainTokenName);
  const admission = createRequestSlots(fairly(options.maxConcurrent ?? 256));
  const intake = createBodyIntake({
    memory: fairly(Math.max(options.maxArrivingBytes ?? getHeapStatistics().heap_size_limit / 8, 4 * maxBodyBytes)),
    disk: fairly(32 * largestBody),
    timeoutMs: options.bodyTimeoutMs,
  });
  const limits = { admission, intake, maxBodyBytes, largeBodies };
  let sessionLog: SessionLog | undefined;
  const keptSessions = (view: string) => sessionLog?.of(view);
  const endpoints = createViewEndpoints({
    catalog,
    guard,
    info,
    log,
    telemetry,
    keptSessions,
    agent: options.agent,
    toolNames: options.toolNames,
    surfaces: options.surfaces,
    scripts: options.scripts,
    // Enough to tell them apart: the whole hash stays with the tokens.
    tokenKey: (name) => tokens.keyOf?.(name)?.slice(0, 16),
    results: options.results && { results: options.results, tokenKey: (name) => tokens.keyOf?.(name) },
    ...limits,
  });
  const route = createHttpRouter({ catalog, endpoints, intake, info, metrics, control: options.local?.control });
  const documents = new Map(Object.entries(options.publicDocuments ?? {}));
  const refused = createRefusedTokens(log);
  const rules: GateRules = {
    matchToken: (presented) => options.agent?.match(presented) ?? tokens.match(presented),
    maxBodyBytes,
    remote: !isLoopbackHost(host),
    allowedHosts: toLowerCaseNames(options.allowedHosts ?? []),
    allowedOrigins: [],
  };
  const timeouts = arrivalTimeouts(largestBody, options.headersTimeoutMs);
  const maxConnections = await connectionLimit(options.maxConnections ?? 4096);
  const server = createServer(timeouts, receive);
  // Only a caller that passes the gate is told to send its body.
  server.on("checkContinue", receive);
  const connectionShares = shareConnections(server, maxConnections, mainTokenName);
  const local = options.local && openLocalServer(options.local);
  const { port, origin } = await listen(server, host, options.port).catch((error: unknown) => {
    intake.close();
    throw error;
  });
  const socket = await options.local?.listen(local!.server).catch((error: unknown) => {
    intake.close();
    server.close();
    throw error;
  });
  // Before the first request, and not before the port is ours.
  sessionLog = openKeptSessions(options, port);
  tokens.onRevoked?.((name) => {
    endpoints.endAllOf(name);
    sessionLog?.forgetAll(name);
  });
  const connections = joinConnections([server, ...(local ? [local.server] : [])].map(trackConnections));
  const stopWatching = metrics
    ? [
        watchConnections(metrics, "mcp-http", () => connections.size),
        watchSessions(metrics, () => endpoints.sessionCount()),
        watchQueue(metrics, "mcp-http", () => admission.inUse),
        watchRefusedTokens(metrics, () => refused.counts()),
      ]
    : [];

  return {
    host,
    port,
    socket,
    address: `${origin}/`,
    sessionCount: () => endpoints.sessionCount(),
    refusedTokens: () => refused.counts(),
    async close(withinMs = 5000) {
      await closeGracefully({
        server,
        slots: admission,
        connections,
        withinMs,
        stop: () => endpoints.stop(),
        end: () => endpoints.close(),
      });
      local?.close();
      intake.close();
      sessionLog?.close();
      for (const stop of stopWatching) stop();
    },
  };

  /** A web page can't reach it, but what the gate refuses is refused here, too. Keys count here alone. */
  function openLocalServer({ keys }: LocalDoorOptions) {
    const matchToken: GateRules["matchToken"] = (presented) => keys.match(presented) ?? tokens.match(presented);
    const ownRules: GateRules = { ...rules, remote: true, matchToken };
    const receiveOwn: RequestListener = (request, response) => enter(request, response, ownRules, shares);
    const opened = createServer(timeouts, receiveOwn);
    opened.on("checkContinue", receiveOwn);
    const shares = shareConnections(opened, maxConnections, mainTokenName);
    const close = (): void => {
      opened.close();
      opened.closeAllConnections();
    };
    return { server: opened, close };
  }

  function receive(request: IncomingMessage, response: ServerResponse): void {
    if (request.url?.startsWith("/") === false) request.url = originForm(request);
    if (options.console !== undefined && isConsolePath(request.url)) return options.console(request, response);
    const document = request.method === "GET" ? documents.get(request.url ?? "")?.() : undefined;
    if (document !== undefined) return sendText(response, 200, "application/json", JSON.stringify(document));
    enter(request, response, rules, connectionShares);
  }

  function enter(
    request: IncomingMessage,
    response: ServerResponse,
    gate: GateRules,
    shares: Pick<ConnectionShares, "claim">,
  ): void {
    const { method = "", headers, rawHeaders, httpVersion, socket } = request;
    const verdict = judgeCaller(
      { peer: socket.remoteAddress, method, headers, rawHeaders, httpVersion },
      takesLargeBodies(request.url) ? { ...gate, maxBodyBytes: largeBodies!.maxBodyBytes } : gate,
    );
    if (!verdict.pass) return refuse(request, response, verdict);
    if (request.headers.expect !== undefined) response.writeContinue();
    try {
      if (!shares.claim(socket, verdict.token.name)) throw tooManyConnections(response);
      route(request, response, verdict.token);
    } catch (error) {
      sendRpcFault(response, error);
    }
  }

  function takesLargeBodies(url: string | undefined): boolean {
    if (!largeBodies || url === undefined) return false;
    const route = parseHubRoute(url);
    if (route.kind === "order") return largeBodies.source === "agent";
    return route.kind === "source" && route.source === largeBodies.source;
  }

  function refuse(request: IncomingMessage, response: ServerResponse, verdict: GateRefusal): void {
    log.debug("refused a caller at the gate", { status: verdict.status, reason: verdict.reason });
    // The body of a refused request is not read, and the rest of it could be taken for the next request.
    if (request.method !== "GET") response.setHeader("connection", "close");
    if (verdict.status === 405 && verdict.allow) response.setHeader("allow", verdict.allow);
    if (verdict.token !== undefined) refused.note(verdict.token, request.headers);
    if (verdict.status === 401)
      response.setHeader("www-authenticate", verdict.token === "wrong" ? wrongTokenChallenge : challenge);
    // The tray's contract for `/`: no body without a token. There only the challenge says what to do.
    const isBare = verdict.status === 401 && parseHubRoute(request.url ?? "/").kind === "root";
    const body = isBare ? "" : `${verdict.reason}\n`;
    sendText(response, verdict.status, plainTextType, body);
  }
}

/** With port 0 the next process listens at another port, where no client comes back to. */
function openKeptSessions(
  { port, sessionFolder, tokens, log }: HttpDoorOptions,
  taken: number,
): SessionLog | undefined {
  const { keyOf } = tokens;
  if (sessionFolder === undefined || port === 0 || keyOf === undefined) return undefined;
  pruneSessionLogs(sessionFolder);
  return openSessionLog({ file: sessionLogFile(sessionFolder, taken), tokenKey: keyOf, log });
}

const challenge = 'Bearer realm="Clawport: run `clawport token show` to print the token"';
/** RFC 6750, 3.1. */
const wrongTokenChallenge = `${challenge}, error="invalid_token"`;

function tooManyConnections(response: ServerResponse): Fault {
  response.setHeader("connection", "close");
  return new Fault("busy", "This token has too many connections open. Close some, then try again.");
}

/** RFC 9112, 3.2.2: a server accepts a whole address as the target, too. One of another host is not ours. */
function originForm({ url = "", headers }: IncomingMessage): string {
  const target = URL.canParse(url) ? new URL(url) : undefined;
  return target?.protocol === "http:" && target.host === headers.host ? target.pathname + target.search : url;
}
