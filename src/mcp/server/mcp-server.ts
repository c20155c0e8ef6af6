import { Fault } from "../../core/fault.ts";
import { type Log, silentLog } from "../../core/log.ts";
import { parseClientFacts } from "../messages/client-facts.ts";
import { isModernRequest, readEnvelope } from "../messages/envelope.ts";
import {
  failure,
  isNotification,
  isRequest,
  type JsonRpcMessage,
  type JsonRpcNotification,
  type JsonRpcRequest,
  type JsonRpcResponse,
  notification,
  type Params,
  parseMessage,
  rpcErrorOf,
} from "../messages/json-rpc.ts";
import { checkMirroredHeaders } from "../messages/mirrored-headers.ts";
import { createSchemaChecker } from "../schema/schema-checker.ts";
import { featureMethods, type MethodHandler } from "./feature-methods.ts";
import { legacyMethods } from "./legacy-methods.ts";
import { createModernCalls } from "./modern-calls.ts";
import type { McpOffer } from "./offer.ts";
import { Peer, type PeerOptions } from "./peer.ts";
import { type ReplyRoute, type RequestEnvelope, ServedRequest } from "./served-request.ts";
import { createChangeFeed } from "./subscription.ts";
import { createTaskStore } from "./tasks.ts";
import { createWaitingRuns } from "./waiting-runs.ts";

export interface McpServerOptions {
  readonly log?: Log;
  readonly now?: () => number;
  /** How long a call waits for its client to come back with answers, and how many may wait: in all, and of one principal. */
  readonly waitForAnswersMs?: number;
  readonly mostWaiting?: number;
  readonly mostWaitingOfOne?: number;
  /** How long a task and its result are kept, and how many there may be: in all, and of one principal. */
  readonly keepTasksMs?: number;
  readonly mostTasks?: number;
  readonly mostTasksOfOne?: number;
  readonly pollTasksMs?: number;
}

/**
 * The protocol, free of any transport: messages in, messages out. What belongs to a request but comes before its answer
 * goes through the route.
 */
export interface McpServer {
  readonly offer: McpOffer;
  /** What is being served. */
  readonly running: Iterable<Pick<ServedRequest, "era" | "peer">>;
  openPeer(options: PeerOptions): Peer;
  /** Serves one message. Resolves to the answer of a request, or to nothing: for the rest, and for cancelled calls. */
  handle(message: JsonRpcMessage, peer: Peer, route: ReplyRoute): Promise<JsonRpcResponse | undefined>;
  /** What still runs is stopped, and its clients are told why. */
  close(why?: string): void;
}

export function createMcpServer(offer: McpOffer, options: McpServerOptions = {}): McpServer {
  const log = options.log ?? silentLog;
  const now = options.now ?? Date.now;
  const changes = createChangeFeed(offer);
  const waitForAnswersMs = options.waitForAnswersMs ?? 600_000;
  const waiting = createWaitingRuns({
    forMs: waitForAnswersMs,
    atMost: options.mostWaiting ?? 1000,
    atMostOfOne: options.mostWaitingOfOne ?? 250,
  });
  const tasks = createTaskStore({
    keepMs: options.keepTasksMs ?? 3_600_000,
    pollMs: options.pollTasksMs ?? 1000,
    atMost: options.mostTasks ?? 1000,
    atMostOfOne: options.mostTasksOfOne ?? 250,
    now,
  });
  const features = featureMethods(offer, createSchemaChecker());
  const legacy = legacyMethods(offer, features);
  const modern = createModernCalls({ offer, features, changes, waiting, tasks });
  const peers = new Set<Peer>();
  const running = new Set<ServedRequest>();

  return { offer, running, openPeer, handle, close };

  function openPeer(peerOptions: PeerOptions): Peer {
    const peer = new Peer(peerOptions, waitForAnswersMs);
    const { push } = peerOptions;
    if (push) {
      peers.add(peer);
      const stop = changes.listen((kind) => {
        if (peer.version !== undefined) push(notification(`notifications/${kind}/list_changed`));
      });
      peer.onClose = () => {
        stop();
        peers.delete(peer);
      };
    }
    return peer;
  }

  /** Not `async`: a promise that waits for another one would cost every call three turns. */
  function handle(message: JsonRpcMessage, peer: Peer, route: ReplyRoute): Promise<JsonRpcResponse | undefined> {
    if (isRequest(message)) {
      return isModernRequest(message, route.headers)
        ? serveModern(message, peer, route)
        : serveLegacy(message, peer, route);
    }
    if (isNotification(message)) noteNotification(message, peer);
    else peer.settle(message);
    return Promise.resolve(undefined);
  }

  async function serveLegacy(
    message: JsonRpcRequest,
    peer: Peer,
    route: ReplyRoute,
  ): Promise<JsonRpcResponse | undefined> {
    const request = new ServedRequest(peer, route, legacyEnvelope(message, peer));
    start(message, request);
    try {
      const method = legacy.get(message.method);
      if (!method) throw unknownMethod(message.method);
      const result = await method(message.params ?? {}, request, undefined);
      return request.cancelled ? undefined : { jsonrpc: "2.0", id: message.id, result };
    } catch (error) {
      return request.cancelled ? undefined : failed(message, error, request.era);
    } finally {
      end(message, request);
    }
  }

  async function serveModern(
    message: JsonRpcRequest,
    peer: Peer,
    route: ReplyRoute,
  ): Promise<JsonRpcResponse | undefined> {
    let request: ServedRequest | undefined;
    try {
      const facts = readEnvelope(message, route.headers);
      const method: MethodHandler | undefined = modern.method(message.method);
      if (!method) throw unknownMethod(message.method);
      if (route.headers) checkMirroredHeaders(route.headers, message);
      request = new ServedRequest(peer, route, facts);
      start(message, request);
      const result = await modern.serve(message, method, request, route);
      return request.cancelled ? undefined : { jsonrpc: "2.0", id: message.id, result };
    } catch (error) {
      return request?.cancelled ? undefined : failed(message, error, "modern");
    } finally {
      if (request) end(message, request);
    }
  }

  function start(message: JsonRpcRequest, request: ServedRequest): void {
    running.add(request);
    request.peer.running.set(message.id, request);
  }

  function end(message: JsonRpcRequest, request: ServedRequest): void {
    running.delete(request);
    request.reroute(undefined);
    request.startRun = undefined;
    if (request.peer.running.get(message.id) === request) request.peer.running.delete(message.id);
  }

  function noteNotification(message: JsonRpcNotification, peer: Peer): void {
    if (message.method !== "notifications/cancelled") return;
    const id = message.params?.requestId;
    if (typeof id === "string" || typeof id === "number")
      peer.running.get(id)?.cancel("The client cancelled the call.");
  }

  function failed(message: JsonRpcRequest, error: unknown, era: "legacy" | "modern"): JsonRpcResponse {
    if (!(error instanceof Fault))
      log.error("a request failed inside the server", { method: message.method.slice(0, 100), error });
    return failure(message.id, rpcErrorOf(error, era));
  }

  function close(why = "The server is stopping."): void {
    changes.close();
    for (const request of running) request.stop(stoppedFault(why));
    for (const peer of peers) peer.close("The server is closing.");
    waiting.close();
    tasks.close();
  }
}

const noMeta: Params = {};

function legacyEnvelope(message: JsonRpcRequest, peer: Peer): RequestEnvelope {
  const meta = message.params?._meta;
  return {
    era: "legacy",
    protocolVersion: peer.version ?? "2025-03-26",
    client:
      message.method === "initialize"
        ? parseClientFacts(message.params?.clientInfo, message.params?.capabilities)
        : peer.client,
    meta: typeof meta === "object" && meta !== null ? (meta as Params) : noMeta,
    logLevel: undefined,
  };
}

/** What a call ends with that is stopped from this side. */
export function stoppedFault(why: string): Fault {
  return new Fault("outcome-unknown", `${why} Whether it was done is unknown: look before you try again.`);
}

function unknownMethod(method: string): Fault {
  return new Fault("unknown-method", `Method not found: ${JSON.stringify(method.slice(0, 100))}`);
}

/**
 * The server as a plain function: one message in, every message it leads to out, the answer last. For doors that have no
 * way to send anything in between; a question to the client has no way back here, so open the peer with `twoWay: false`.
 */
export async function answerMessage(
  server: McpServer,
  peer: Peer,
  message: unknown,
): Promise<readonly JsonRpcMessage[]> {
  const messages: JsonRpcMessage[] = [];
  const answer = await server.handle(parseMessage(message), peer, { send: (sent) => void messages.push(sent) });
  return answer ? [...messages, answer] : messages;
}
