import type { IncomingMessage, ServerResponse } from "node:http";
import { Fault, isFault } from "../../core/fault.ts";
import { readBody } from "../../core/http/read-body.ts";
import { createRequestSlots, type RequestSlots } from "../../core/http/request-slots.ts";
import { createJsonSpiller, type SpilledTexts, type SpillOptions } from "../../core/json-bytes.ts";
import { type Log, silentLog } from "../../core/log.ts";
import { isModernRequest } from "../messages/envelope.ts";
import {
  failure,
  idOf,
  isRequest,
  type JsonRpcMessage,
  type JsonRpcResponse,
  parseMessage,
  rpcErrorOf,
} from "../messages/json-rpc.ts";
import { isLegacyVersion, isModernVersion } from "../messages/protocol-version.ts";
import { requireBatch, serveEach } from "../server/batch.ts";
import type { McpServer } from "../server/mcp-server.ts";
import type { Peer } from "../server/peer.ts";
import { acceptsEvents, Exchange } from "./exchange.ts";
import { createHttpSessions, type HttpSession } from "./http-sessions.ts";
import { sendEmpty, sendRpcFault, sendRpcResponse } from "./send-rpc-response.ts";
import { createSessionlessClients } from "./sessionless-clients.ts";

export interface HttpEndpointOptions {
  readonly log?: Log;
  readonly now?: () => number;
  readonly maxBodyBytes?: number;
  /** For views that take large media: long texts go to files while the body is read, and are gone when it is answered. */
  readonly spill?: SpillOptions;
  /** Shared between endpoints of one door, so that the cap is the door's. */
  readonly admission?: RequestSlots;
  /**
   * False where the address already names a session of somebody else's: then none is opened here, and an
   * `Mcp-Session-Id` is not ours to read.
   */
  readonly sessions?: boolean;
  /** How many sessions there may be: in all, and of one principal. */
  readonly mostSessions?: number;
  readonly mostSessionsOfOne?: number;
  readonly sessionIdleMs?: number;
  readonly eventStoreBytes?: number;
  /** Told of faults that a request ended with before it could be served. */
  readonly onRefused?: (fault: Fault) => void;
  /** How long an answer may take before the client gets an open stream instead of silence. */
  readonly streamAfterMs?: number;
}

/** One MCP endpoint of both eras over `node:http`. Whoever calls it has already decided that the caller may. */
export interface HttpEndpoint {
  handle(request: IncomingMessage, response: ServerResponse, principal: string): void;
  readonly sessionCount: number;
  close(): void;
}

/** One POST with what is known about it. */
interface Post {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly principal: string;
  /** Gives back the place among those being served. */
  readonly leave: () => void;
  readonly spilled: SpilledTexts | undefined;
}

export function createHttpEndpoint(server: McpServer, options: HttpEndpointOptions = {}): HttpEndpoint {
  const log = options.log ?? silentLog;
  const maxBodyBytes = options.maxBodyBytes ?? 4 * 1024 * 1024;
  const admission = options.admission ?? createRequestSlots(256);
  const streamAfterMs = options.streamAfterMs ?? 15_000;
  const sessions = createHttpSessions(server, {
    atMost: options.mostSessions ?? 10_000,
    atMostOfOne: options.mostSessionsOfOne ?? 2500,
    idleMs: options.sessionIdleMs ?? 30 * 60_000,
    eventBytes: options.eventStoreBytes ?? 8 * 1024 * 1024,
    now: options.now ?? Date.now,
  });
  const guests = options.sessions === false ? createSessionlessClients(server) : undefined;
  /** What is being answered now; one sweep serves them all, so that no call needs a timer of its own. */
  const open = new Set<Exchange>();
  const sweeper = setInterval(sweep, streamAfterMs).unref();

  return {
    handle(request, response, principal) {
      serve(request, response, principal).catch((error: unknown) => {
        if (error instanceof Fault) options.onRefused?.(error);
        else log.error("a request failed inside the endpoint", { error });
        if (isFault(error, "cancelled") || response.headersSent) response.destroy();
        else sendRpcFault(response, error);
      });
    },
    get sessionCount() {
      return sessions.size;
    },
    close() {
      clearInterval(sweeper);
      sessions.close();
      guests?.close();
    },
  };

  function serve(request: IncomingMessage, response: ServerResponse, principal: string): Promise<void> {
    return request.method === "POST"
      ? servePost(request, response, principal)
      : serveOther(request, response, principal);
  }

  async function serveOther(request: IncomingMessage, response: ServerResponse, principal: string): Promise<void> {
    switch (request.method) {
      case "GET":
        return serveGet(request, response, principal);
      case "DELETE": {
        if (guests) guests.dismiss(principal);
        else sessions.end(knownSession(request, principal));
        return sendEmpty(response, 204);
      }
      default:
        response.setHeader("allow", "GET, POST, DELETE");
        throw new Fault("bad-method", "Use POST here, GET with Accept: text/event-stream, or DELETE.");
    }
  }

  /** Holds a place while a request is served; one that only listens from here on gives it back early. */
  async function servePost(request: IncomingMessage, response: ServerResponse, principal: string): Promise<void> {
    if (!admission.enter()) {
      throw new Fault("busy", "Too many requests are being served here. Try again in a second.");
    }
    let inside = true;
    const leave = () => {
      if (inside) admission.leave();
      inside = false;
    };
    const spiller = options.spill && createJsonSpiller(options.spill);
    try {
      const body = await readBody(request, maxBodyBytes, spiller);
      await serveBody(body, { request, response, principal, leave, spilled: spiller?.end().texts });
    } finally {
      spiller?.dispose();
      leave();
    }
  }

  async function serveBody(body: unknown, post: Post): Promise<void> {
    const { request, response, principal, spilled } = post;
    if (Array.isArray(body)) {
      requireOpen();
      return serveBatch(body, post);
    }
    let message: JsonRpcMessage;
    try {
      message = parseMessage(body);
    } catch (error) {
      if (error instanceof Fault) options.onRefused?.(error);
      const era = request.headers["mcp-protocol-version"] === undefined ? "legacy" : "modern";
      return sendRpcResponse(response, 400, failure(idOf(body), rpcErrorOf(error, era)));
    }
    if (isRequest(message)) requireOpen();
    const isModern = isRequest(message) ? isModernRequest(message, request.headers) : isModernNotice(request);
    const isNewSession = !guests && !isModern && isRequest(message) && message.method === "initialize";
    const session = isModern ? undefined : isNewSession ? sessions.open(principal) : sessionOf(request, principal);
    if (!isRequest(message)) {
      if (guests && !isModern) await guests.note(message, principal);
      else await server.handle(message, session?.peer ?? passing(principal), { send: () => {} });
      return sendEmpty(response, 202);
    }
    const peer = session?.peer ?? (isModern ? passing(principal) : guestOf(request, principal));
    if (message.method === "subscriptions/listen") post.leave();
    const exchange = new Exchange({ request, response, session, isModern, isNewSession, spilled });
    begin(exchange, response, session, peer);
    let answer: JsonRpcResponse | undefined;
    try {
      answer = await server.handle(message, peer, exchange);
    } finally {
      end(exchange, session);
    }
    if (!isModern) guests?.served(message.method, peer);
    if (isNewSession && answer && "error" in answer && session) sessions.end(session);
    exchange.finish(answer);
  }

  /** Answers and cancels belong to calls that run: these are taken to the end. */
  function requireOpen(): void {
    if (admission.isClosed) throw new Fault("busy", "This is being stopped. Try again in a few seconds.");
  }

  async function serveBatch(batch: readonly unknown[], { request, response, principal, spilled }: Post): Promise<void> {
    const session = sessionOf(request, principal);
    const header = request.headers["mcp-protocol-version"];
    requireBatch(batch, session?.peer.version ?? (typeof header === "string" ? header : undefined));
    const peer = session?.peer ?? guestOf(request, principal);
    const exchange = new Exchange({ request, response, session, isModern: false, isNewSession: false, spilled });
    begin(exchange, response, session, peer);
    const answers = await serveEach(batch, async (message) => {
      const answer = await server.handle(message, peer, { send: exchange.send, spilled });
      if (isRequest(message)) guests?.served(message.method, peer);
      return answer;
    });
    end(exchange, session);
    exchange.finish(answers);
  }

  /** A session's client may come back, so losing the connection is no cancel there. */
  function begin(exchange: Exchange, response: ServerResponse, session: HttpSession | undefined, peer: Peer): void {
    session?.touch();
    if (!session) {
      response.on("close", () => {
        if (!response.writableFinished) peer.close("The client went away.");
      });
    }
    open.add(exchange);
  }

  function end(exchange: Exchange, session: HttpSession | undefined): void {
    open.delete(exchange);
    session?.touch();
  }

  function serveGet(request: IncomingMessage, response: ServerResponse, principal: string): void {
    if (!acceptsEvents(request)) throw new Fault("bad-request", "Ask with Accept: text/event-stream, or send a POST.");
    if (guests) return guests.listen(response, principal, versionOf(request));
    if (request.headers["mcp-session-id"] === undefined) {
      response.setHeader("allow", "POST");
      throw new Fault("bad-method", "Without a session there is no stream to listen to. Use POST.");
    }
    const session = knownSession(request, principal);
    session.touch();
    response.once("close", () => session.touch());
    const lastEventId = request.headers["last-event-id"];
    if (typeof lastEventId === "string") {
      const stream = session.findStream(lastEventId);
      if (stream?.attach(response, lastEventId, {})) return;
      // Not 404: that would mean the session.
      throw new Fault("bad-request", "What came after this event is gone. Open a new stream.");
    }
    session.standalone ??= session.openStream();
    session.standalone.attach(response, undefined, {});
  }

  function sessionOf(request: IncomingMessage, principal: string): HttpSession | undefined {
    versionOf(request);
    return guests || request.headers["mcp-session-id"] === undefined ? undefined : knownSession(request, principal);
  }

  function guestOf(request: IncomingMessage, principal: string): Peer {
    return guests?.enter(principal, versionOf(request)) ?? passing(principal);
  }

  function passing(principal: string): Peer {
    return server.openPeer({ principal, twoWay: false });
  }

  function knownSession(request: IncomingMessage, principal: string): HttpSession {
    const id = request.headers["mcp-session-id"];
    const session = typeof id === "string" ? sessions.find(id, principal) : undefined;
    if (!session) throw new Fault("unknown-session", "Session not found. Open one with initialize.");
    return session;
  }

  function sweep(): void {
    for (const exchange of open) exchange.beat();
    sessions.sweep();
    guests?.keepAlive();
  }
}

/** The revision a message without a session says it is of. */
function versionOf({ headers }: IncomingMessage): string | undefined {
  const version = headers["mcp-protocol-version"];
  if (version === undefined || (typeof version === "string" && isLegacyVersion(version))) return version;
  throw new Fault("bad-request", "The header MCP-Protocol-Version names no revision that has such messages.");
}

/** Notices of the modern era belong to no session: clients that stop listening send one beside closing the stream. */
function isModernNotice({ headers }: IncomingMessage): boolean {
  const version = headers["mcp-protocol-version"];
  return typeof version === "string" && isModernVersion(version);
}
