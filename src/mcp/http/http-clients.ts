import type { IncomingMessage, ServerResponse } from "node:http";
import { Fault } from "../../core/fault.ts";
import type { JsonRpcNotification, JsonRpcRequest, JsonRpcResponse } from "../messages/json-rpc.ts";
import { isLegacyVersion, isModernVersion } from "../messages/protocol-version.ts";
import type { McpServer } from "../server/mcp-server.ts";
import type { Peer } from "../server/peer.ts";
import { acceptsEvents } from "./exchange.ts";
import { createHttpSessions, type HttpSession } from "./http-sessions.ts";
import type { KeptSessions } from "./kept-sessions.ts";
import { resumeLostStream } from "./lost-streams.ts";
import { createSessionlessClients } from "./sessionless-clients.ts";

export interface HttpClientsOptions {
  readonly now?: () => number;
  /**
   * False if the URL itself already names a session. Then this endpoint opens no sessions and ignores
   * `Mcp-Session-Id`.
   */
  readonly sessions?: boolean;
  /** How many sessions there may be: in total, and per principal. */
  readonly maxSessions?: number;
  readonly maxSessionsOfOne?: number;
  readonly sessionIdleMs?: number;
  /** Whether a session id that is unknown here opens a session: for a client that outlives this server. */
  readonly adoptsSessions?: boolean;
  readonly eventStoreBytes?: number;
  /** Where sessions are kept beyond this process, if anywhere. */
  readonly keptSessions?: KeptSessions | undefined;
}

/** The clients of an endpoint: whether a request belongs to a session, to a client without one, or stands alone. */
export interface HttpClients {
  readonly sessionCount: number;
  /** Whether a legacy request opens a session. */
  opensSession(message: JsonRpcRequest): boolean;
  openSession(principal: string): HttpSession;
  /** Keeps a new session, or ends it if `initialize` failed. */
  settleSession(session: HttpSession, answer: JsonRpcResponse): void;
  /** The session that a legacy message belongs to. Undefined if it names none. */
  sessionOf(request: IncomingMessage, principal: string): HttpSession | undefined;
  /** Opens the peer of one request that belongs to no session. */
  openPeer(request: IncomingMessage, principal: string, isModern: boolean): Peer;
  /** Remembers what a legacy request said about its client, if that has no session. */
  remember(method: string, peer: Peer): void;
  /** Hands an answer or a notification to the call that it is about. */
  receive(message: JsonRpcNotification | JsonRpcResponse, request: IncomingMessage, principal: string): Promise<void>;
  /** Serves a GET: a stream of messages that belong to no request, or one that the client comes back to. */
  listen(request: IncomingMessage, response: ServerResponse, principal: string): void;
  /** Serves a DELETE: ends the session, or the streams of a client without one. */
  leave(request: IncomingMessage, principal: string): void;
  endSessionsOf(principal: string): void;
  /** Called at regular intervals: ends idle sessions and keeps streams open. */
  heartbeat(): void;
  close(): void;
}

export function createHttpClients(server: McpServer, options: HttpClientsOptions): HttpClients {
  const sessions = createHttpSessions(server, {
    atMost: options.maxSessions ?? 10_000,
    atMostOfOne: options.maxSessionsOfOne ?? 2500,
    idleMs: options.sessionIdleMs ?? 30 * 60_000,
    eventBytes: options.eventStoreBytes ?? 8 * 1024 * 1024,
    now: options.now ?? Date.now,
    kept: options.keptSessions,
  });
  const sessionless = options.sessions === false ? createSessionlessClients(server) : undefined;

  return {
    get sessionCount() {
      return sessions.size;
    },
    opensSession: ({ method }) => sessionless === undefined && method === "initialize",
    openSession: (principal) => sessions.open(principal),
    settleSession(session, answer) {
      if ("error" in answer) sessions.end(session);
      else sessions.keep(session);
    },
    sessionOf,
    openPeer,
    remember: (method, peer) => sessionless?.remember(method, peer),
    async receive(message, request, principal) {
      const isModern = isModernNotification(request);
      const session = isModern ? undefined : sessionOf(request, principal);
      if (sessionless && !isModern) await sessionless.receive(message, principal);
      else await server.handle(message, session?.peer ?? openPeer(request, principal, isModern), { send: () => {} });
    },
    listen,
    leave(request, principal) {
      if (sessionless) sessionless.endStreams(principal);
      else sessions.end(knownSession(request, principal));
    },
    endSessionsOf: (principal) => sessions.endAllOf(principal),
    heartbeat() {
      sessions.sweep();
      sessionless?.keepAlive();
    },
    close() {
      sessions.close();
      sessionless?.close();
    },
  };

  function sessionOf(request: IncomingMessage, principal: string): HttpSession | undefined {
    versionOf(request);
    if (sessionless || request.headers["mcp-session-id"] === undefined) return undefined;
    return knownSession(request, principal);
  }

  function knownSession(request: IncomingMessage, principal: string): HttpSession {
    const id = request.headers["mcp-session-id"];
    const session = typeof id === "string" ? sessions.find(id, principal) : undefined;
    if (session) return session;
    if (options.adoptsSessions && typeof id === "string" && /^[\w-]{16,128}$/.test(id) && request.method !== "DELETE")
      return sessions.adopt(id, principal, versionOf(request));
    throw new Fault("unknown-session", "Session not found. Open one with initialize.");
  }

  function openPeer(request: IncomingMessage, principal: string, isModern: boolean): Peer {
    if (sessionless && !isModern) return sessionless.openPeer(principal, versionOf(request));
    return server.openPeer({ principal, twoWay: false });
  }

  function listen(request: IncomingMessage, response: ServerResponse, principal: string): void {
    if (!acceptsEvents(request)) throw new Fault("bad-request", "Use Accept: text/event-stream, or send a POST.");
    if (sessionless) return sessionless.listen(response, principal, versionOf(request));
    if (request.headers["mcp-session-id"] === undefined) {
      response.setHeader("allow", "POST");
      throw new Fault("bad-method", "There is no stream without a session. Use POST.");
    }
    const session = knownSession(request, principal);
    session.touch();
    response.once("close", () => session.touch());
    const lastEventId = request.headers["last-event-id"];
    if (typeof lastEventId === "string") {
      const stream = session.findStream(lastEventId);
      if (stream?.attach(response, lastEventId, {})) return;
      const isLost = !stream && session.mayHaveLost(lastEventId);
      if (isLost && resumeLostStream(session, response, lastEventId, server)) return;
      // Not 404, which would mean that the session is unknown.
      throw new Fault("bad-request", "The events after this one are no longer available. Open a new stream.");
    }
    session.standalone ??= session.openStream();
    session.standalone.attach(response, undefined, {});
  }
}

/** The revision that a message without a session names. */
function versionOf({ headers }: IncomingMessage): string | undefined {
  const version = headers["mcp-protocol-version"];
  if (version === undefined || (typeof version === "string" && isLegacyVersion(version))) return version;
  throw new Fault("bad-request", "The header MCP-Protocol-Version names a version that does not have such messages.");
}

/** Notifications of the modern era belong to no session. Clients send one when they close a subscription. */
function isModernNotification({ headers }: IncomingMessage): boolean {
  const version = headers["mcp-protocol-version"];
  return typeof version === "string" && isModernVersion(version);
}
