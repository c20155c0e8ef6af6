import type { IncomingMessage, ServerResponse } from "node:http";
import { Fault, isFault } from "../../core/fault.ts";
import { type BodyIntake, createBodyIntake } from "../../core/http/body-intake.ts";
import { createRequestSlots, type RequestSlots } from "../../core/http/request-slots.ts";
import { sendEmpty } from "../../core/http/send-json.ts";
import { InFlight } from "../../core/in-flight.ts";
import { isRecord } from "../../core/is-record.ts";
import { createJsonSpiller, type SpilledTexts, type SpillOptions } from "../../core/json-bytes.ts";
import { type Log, silentLog } from "../../core/log.ts";
import { isModernRequest } from "../messages/envelope.ts";
import {
  failure,
  idOf,
  isRequest,
  type JsonRpcMessage,
  type JsonRpcRequest,
  type JsonRpcResponse,
  parseMessage,
  rpcErrorOf,
} from "../messages/json-rpc.ts";
import { requireBatch, serveEach } from "../server/batch.ts";
import type { McpServer } from "../server/mcp-server.ts";
import type { Peer } from "../server/peer.ts";
import type { AwaitedRequest } from "./awaited-requests.ts";
import { Exchange } from "./exchange.ts";
import { createHttpClients, type HttpClientsOptions } from "./http-clients.ts";
import type { HttpSession } from "./http-sessions.ts";
import { sendRpcFault, sendRpcResponse } from "./send-rpc-response.ts";

export interface HttpEndpointOptions extends HttpClientsOptions {
  readonly log?: Log;
  readonly maxBodyBytes?: number;
  /** For views that take large media: long strings go to files while a body is read, and are deleted after the response. */
  readonly spill?: SpillOptions;
  /** The slots shared by the endpoints of one door, so that the limit applies to the door. */
  readonly admission?: RequestSlots;
  /** Reads the bodies that arrive at the door, so that its limits apply to all endpoints together. */
  readonly intake?: BodyIntake;
  /** Called with the fault of a request that was refused before it was served. */
  readonly onRefused?: (fault: Fault) => void;
  /** How long a response may take before the client gets an open stream instead. */
  readonly streamAfterMs?: number;
}

/** One MCP endpoint of both eras over `node:http`. Its user must authorize the request first. */
export interface HttpEndpoint {
  /** `holder` is whose share of slots and memory the request takes; the principal's unless given. */
  handle(request: IncomingMessage, response: ServerResponse, principal: string, holder?: string): void;
  readonly sessionCount: number;
  /** Ends the sessions of a principal that may no longer call, and what else it has running. */
  endAllOf(principal: string): void;
  close(): void;
}

/** One POST and what belongs to it. */
interface Post {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly principal: string;
  /** Whose share of slots and memory it takes. */
  readonly holder: string;
  hasSlot: boolean;
  spilled: SpilledTexts | undefined;
}

/** A request that is being served. */
interface HttpCall {
  readonly exchange: Exchange;
  readonly session: HttpSession | undefined;
  readonly peer: Peer;
  readonly isModern: boolean;
  /** Whether it opened the session. */
  readonly isNewSession: boolean;
}

export function createHttpEndpoint(server: McpServer, options: HttpEndpointOptions = {}): HttpEndpoint {
  const log = options.log ?? silentLog;
  const maxBodyBytes = options.maxBodyBytes ?? 4 * 1024 * 1024;
  const slots = options.admission ?? createRequestSlots(256);
  const ownIntake = options.intake ? undefined : createBodyIntake();
  const intake = options.intake ?? ownIntake!;
  const streamAfterMs = options.streamAfterMs ?? 15_000;
  const clients = createHttpClients(server, options);
  /** The POSTs being served. One interval covers them all, so that no call needs its own timer. */
  const exchanges = new InFlight<Exchange>();
  const heartbeats = setInterval(heartbeat, streamAfterMs).unref();

  return {
    handle(request, response, principal, holder = principal) {
      serve(request, response, principal, holder).catch((error: unknown) => {
        if (error instanceof Fault) options.onRefused?.(error);
        else log.error("a request failed inside the endpoint", { error });
        if (isFault(error, "cancelled") || response.headersSent) response.destroy();
        else sendRpcFault(response, error);
      });
    },
    get sessionCount() {
      return clients.sessionCount;
    },
    endAllOf(principal) {
      clients.endSessionsOf(principal);
      server.endAllOf(principal);
    },
    close() {
      clearInterval(heartbeats);
      ownIntake?.close();
      clients.close();
    },
  };

  function serve(request: IncomingMessage, response: ServerResponse, principal: string, holder: string): Promise<void> {
    return request.method === "POST"
      ? servePost(request, response, principal, holder)
      : serveOther(request, response, principal);
  }

  async function serveOther(request: IncomingMessage, response: ServerResponse, principal: string): Promise<void> {
    switch (request.method) {
      case "GET":
        return clients.listen(request, response, principal);
      case "DELETE":
        clients.leave(request, principal);
        return sendEmpty(response, 204);
      default:
        response.setHeader("allow", "GET, POST, DELETE");
        throw new Fault("bad-method", "Use POST, GET with Accept: text/event-stream, or DELETE.");
    }
  }

  /**
   * A request takes its slot when its body is complete, so that slow bodies hold none. Answers and notifications need no
   * slot: a caller whose calls wait for them must be able to send them.
   */
  async function servePost(
    request: IncomingMessage,
    response: ServerResponse,
    principal: string,
    holder: string,
  ): Promise<void> {
    const post: Post = { request, response, principal, holder, hasSlot: false, spilled: undefined };
    const spiller = options.spill && createJsonSpiller(options.spill);
    try {
      const body = await intake.read(request, { holder, maxBytes: maxBodyBytes, spiller });
      post.spilled = spiller?.end().texts;
      if (Array.isArray(body)) return await serveBatch(body, post);
      const message = readMessage(body, post);
      if (message === undefined) return;
      if (!isRequest(message)) {
        await clients.receive(message, request, principal);
        return sendEmpty(response, 202);
      }
      const call = openCall(message, post);
      let answer: JsonRpcResponse | undefined;
      try {
        answer = await server.handle(message, call.peer, call.exchange);
      } finally {
        end(call.exchange, call.session);
      }
      const finishing = finishCall(call, message, answer);
      if (finishing) await finishing;
    } finally {
      spiller?.dispose();
      releaseSlot(post);
    }
  }

  function takeSlot(post: Post): void {
    slots.acquire(post.holder);
    post.hasSlot = true;
  }

  function releaseSlot(post: Post): void {
    if (post.hasSlot) slots.release(post.holder);
    post.hasSlot = false;
  }

  /** Undefined if it is not a message. The client has got its answer then. */
  function readMessage(body: unknown, { request, response }: Post): JsonRpcMessage | undefined {
    try {
      return parseMessage(body);
    } catch (error) {
      if (error instanceof Fault) options.onRefused?.(error);
      const era = request.headers["mcp-protocol-version"] === undefined ? "legacy" : "modern";
      sendRpcResponse(response, 400, failure(idOf(body), rpcErrorOf(error, era)));
      return undefined;
    }
  }

  function openCall(message: JsonRpcRequest, post: Post): HttpCall {
    const { request, response, principal, spilled } = post;
    requireOpen();
    takeSlot(post);
    const isModern = isModernRequest(message, request.headers);
    const isNewSession = !isModern && clients.opensSession(message);
    let session: HttpSession | undefined;
    if (!isModern) session = isNewSession ? clients.openSession(principal) : clients.sessionOf(request, principal);
    const peer = session?.peer ?? clients.openPeer(request, principal, isModern);
    if (message.method === "subscriptions/listen") releaseSlot(post);
    const exchange = new Exchange({
      request,
      response,
      session,
      isModern,
      isNewSession,
      requests: [message],
      spilled,
    });
    begin(exchange, response, session, peer);
    return { exchange, session, peer, isModern, isNewSession };
  }

  function finishCall(
    call: HttpCall,
    message: JsonRpcRequest,
    answer: JsonRpcResponse | undefined,
  ): Promise<void> | undefined {
    const { exchange, session, peer, isModern, isNewSession } = call;
    if (!isModern) clients.remember(message.method, peer);
    if (isNewSession && session && answer) clients.settleSession(session, answer);
    return exchange.finish(answer);
  }

  /** Only for new requests: answers and cancels belong to running calls and are taken until the end. */
  function requireOpen(): void {
    if (slots.isClosed) throw new Fault("stopping", "The server is stopping and has not run this. Try again.");
  }

  async function serveBatch(batch: readonly unknown[], post: Post): Promise<void> {
    const { request, response, principal, spilled } = post;
    requireOpen();
    takeSlot(post);
    const session = clients.sessionOf(request, principal);
    const header = request.headers["mcp-protocol-version"];
    requireBatch(batch, session?.peer.version ?? (typeof header === "string" ? header : undefined));
    const peer = session?.peer ?? clients.openPeer(request, principal, false);
    const requests = batch.filter(isAwaited);
    const exchange = new Exchange({
      request,
      response,
      session,
      isModern: false,
      isNewSession: false,
      requests,
      spilled,
    });
    begin(exchange, response, session, peer);
    const answers = await serveEach(batch, async (message) => {
      const answer = await server.handle(message, peer, { send: exchange.send, spilled });
      if (isRequest(message)) clients.remember(message.method, peer);
      return answer;
    });
    end(exchange, session);
    await exchange.finish(answers);
  }

  /** A lost connection cancels the call, except in a session, whose client may come back. */
  function begin(exchange: Exchange, response: ServerResponse, session: HttpSession | undefined, peer: Peer): void {
    session?.touch();
    if (!session) {
      response.on("close", () => {
        if (!response.writableFinished) peer.close("The client disconnected.");
      });
    }
    exchanges.add(exchange);
  }

  function end(exchange: Exchange, session: HttpSession | undefined): void {
    exchanges.delete(exchange);
    session?.touch();
  }

  function heartbeat(): void {
    for (const exchange of exchanges) exchange.heartbeat();
    clients.heartbeat();
  }
}

function isAwaited(message: unknown): message is AwaitedRequest {
  return isRecord(message) && typeof message.method === "string" && idOf(message) !== null;
}
