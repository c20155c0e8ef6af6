import { Fault } from "../../core/fault.ts";
import { InFlight } from "../../core/in-flight.ts";
import { asRecord } from "../../core/is-record.ts";
import { type Log, silentLog } from "../../core/log.ts";
import { quoted } from "../../core/text/peer-text.ts";
import { parseClientFacts } from "../messages/client-facts.ts";
import { isModernRequest, readEnvelope, type RequestEnvelope } from "../messages/envelope.ts";
import {
  failure,
  isNotification,
  isRequest,
  type JsonRpcMessage,
  type JsonRpcNotification,
  type JsonRpcRequest,
  type JsonRpcResponse,
  notification,
  parseMessage,
  rpcErrorOf,
  readId,
} from "../messages/json-rpc.ts";
import { checkMirroredHeaders } from "../messages/mirrored-headers.ts";
import { assumedVersion, type Era } from "../messages/protocol-version.ts";
import { createSchemaChecker } from "../schema/schema-checker.ts";
import { featureMethods } from "./feature-methods.ts";
import { legacyMethods } from "./legacy-methods.ts";
import { createModernCalls } from "./modern-calls.ts";
import type { McpOffer } from "./offer.ts";
import { Peer, type PeerOptions } from "./peer.ts";
import { type MethodHandler, type ReplyRoute, ServedRequest } from "./served-request.ts";
import { createChangeFeed, hasNewTools } from "./subscription.ts";
import { createTaskStore } from "./tasks.ts";
import { createWaitingRuns } from "./waiting-runs.ts";

export interface McpServerOptions {
  readonly log?: Log;
  readonly now?: () => number;
  /** How long a call waits for its client's answers, and how many calls may wait: in total, and per principal. */
  readonly waitForAnswersMs?: number;
  readonly maxWaiting?: number;
  readonly maxWaitingOfOne?: number;
  /** How long a task and its result are kept, and how many there may be: in total, and per principal. */
  readonly keepTasksMs?: number;
  readonly maxTasks?: number;
  readonly maxTasksOfOne?: number;
  readonly pollTasksMs?: number;
}

/**
 * The protocol without a transport: messages in, messages out. Messages that belong to a request but precede its
 * response go through the route.
 */
export interface McpServer {
  readonly offer: McpOffer;
  /** The requests being served. */
  readonly running: Iterable<Pick<ServedRequest, "era" | "peer">>;
  openPeer(options: PeerOptions): Peer;
  /** Serves one message. Resolves to the response, or to undefined if none is due, as after a cancel. */
  handle(message: JsonRpcMessage, peer: Peer, route: ReplyRoute): Promise<JsonRpcResponse | undefined>;
  /** Ends what a principal whose token was revoked has running or can still fetch, apart from its sessions. */
  endAllOf(principal: string): void;
  /** Stops the running requests and tells their clients why. */
  close(why?: string): void;
}

export function createMcpServer(offer: McpOffer, options: McpServerOptions = {}): McpServer {
  const log = options.log ?? silentLog;
  const now = options.now ?? Date.now;
  const changeFeed = createChangeFeed(offer);
  const waitForAnswersMs = options.waitForAnswersMs ?? 600_000;
  const waiting = createWaitingRuns({
    forMs: waitForAnswersMs,
    atMost: options.maxWaiting ?? 1000,
    atMostOfOne: options.maxWaitingOfOne ?? 250,
  });
  const tasks = createTaskStore({
    keepMs: options.keepTasksMs ?? 3_600_000,
    pollMs: options.pollTasksMs ?? 1000,
    atMost: options.maxTasks ?? 1000,
    atMostOfOne: options.maxTasksOfOne ?? 250,
    now,
  });
  const features = featureMethods(offer, createSchemaChecker());
  const legacy = legacyMethods(offer, features, { tasks, waiting });
  const modern = createModernCalls({ offer, features, changeFeed, waiting, tasks });
  const peers = new Set<Peer>();
  const running = new InFlight<ServedRequest>();

  return { offer, running, openPeer, handle, endAllOf, close };

  function openPeer(peerOptions: PeerOptions): Peer {
    const peer = new Peer(peerOptions, waitForAnswersMs);
    const { push } = peerOptions;
    if (push) {
      peers.add(peer);
      const stop = changeFeed.listen((kind) => {
        if (peer.version === undefined || (kind === "tools" && !hasNewTools(offer, peer))) return;
        push(notification(`notifications/${kind}/list_changed`));
      });
      peer.onClose = () => {
        stop();
        peers.delete(peer);
      };
    }
    return peer;
  }

  /** Not `async`: a promise that awaits another one costs every call three microtask turns. */
  function handle(message: JsonRpcMessage, peer: Peer, route: ReplyRoute): Promise<JsonRpcResponse | undefined> {
    if (isRequest(message)) {
      return isModernRequest(message, route.headers)
        ? serveModern(message, peer, route)
        : serveLegacy(message, peer, route);
    }
    if (isNotification(message)) receiveNotification(message, peer);
    else peer.settle(message);
    return Promise.resolve(undefined);
  }

  async function serveLegacy(
    message: JsonRpcRequest,
    peer: Peer,
    route: ReplyRoute,
  ): Promise<JsonRpcResponse | undefined> {
    const request = new ServedRequest(message.id, peer, route, legacyEnvelope(message, peer));
    start(request);
    try {
      const method = legacy.get(message.method);
      if (!method) throw unknownMethod(message.method);
      const result = await method(message.params ?? {}, request, undefined);
      return request.cancelled ? undefined : { jsonrpc: "2.0", id: message.id, result };
    } catch (error) {
      return request.cancelled ? undefined : failed(message, error, request.era);
    } finally {
      end(request);
    }
  }

  async function serveModern(
    message: JsonRpcRequest,
    peer: Peer,
    route: ReplyRoute,
  ): Promise<JsonRpcResponse | undefined> {
    let request: ServedRequest | undefined;
    try {
      const envelope = readEnvelope(message, route.headers);
      const method: MethodHandler | undefined = modern.method(message.method);
      if (!method) throw unknownMethod(message.method);
      if (route.headers) checkMirroredHeaders(route.headers, message);
      request = new ServedRequest(message.id, peer, route, envelope);
      start(request);
      const result = await modern.serve(message, method, request, route);
      return request.cancelled ? undefined : { jsonrpc: "2.0", id: message.id, result };
    } catch (error) {
      return request?.cancelled ? undefined : failed(message, error, request?.callerEra ?? "modern");
    } finally {
      if (request) end(request);
    }
  }

  function start(request: ServedRequest): void {
    running.add(request);
    request.peer.running.add(request);
  }

  function end(request: ServedRequest): void {
    running.delete(request);
    request.reroute(undefined);
    request.startRun = undefined;
    request.peer.running.delete(request);
  }

  function receiveNotification(message: JsonRpcNotification, peer: Peer): void {
    if (message.method !== "notifications/cancelled") return;
    const id = readId(message.params?.requestId);
    if (id !== undefined) peer.runningWith(id)?.cancel("The client cancelled the call.");
  }

  function failed(message: JsonRpcRequest, error: unknown, era: Era): JsonRpcResponse {
    if (!(error instanceof Fault))
      log.error("a request failed inside the server", { method: message.method.slice(0, 100), error });
    return failure(message.id, rpcErrorOf(error, era));
  }

  function endAllOf(principal: string): void {
    for (const { peer } of running) if (peer.principal === principal) peer.close("The token was revoked.");
    waiting.endAllOf(principal);
    tasks.endAllOf(principal);
  }

  function close(why = "The server is stopping."): void {
    changeFeed.close();
    for (const request of running) request.stop(stoppedFault(why));
    for (const peer of peers) peer.close("The server is closing.");
    waiting.close();
    tasks.close();
  }
}

function legacyEnvelope(message: JsonRpcRequest, peer: Peer): RequestEnvelope {
  return {
    era: "legacy",
    protocolVersion: peer.version ?? assumedVersion,
    client:
      message.method === "initialize"
        ? parseClientFacts(message.params?.clientInfo, message.params?.capabilities)
        : peer.client,
    meta: asRecord(message.params?._meta),
    logLevel: undefined,
  };
}

/** The fault of a call that the server stops. */
export function stoppedFault(why: string): Fault {
  return new Fault("outcome-unknown", `${why} The call may or may not have completed: check before you retry.`);
}

function unknownMethod(method: string): Fault {
  return new Fault("unknown-method", `Method not found: ${quoted(method, 100)}`);
}

/**
 * The server as a plain function: one message in, every resulting message out, the response last. It is for doors that
 * can't send anything in between. The client can't answer questions here, so open the peer with `twoWay: false`.
 */
export async function answerMessage(
  server: McpServer,
  peer: Peer,
  message: unknown,
): Promise<readonly JsonRpcMessage[]> {
  const messages: JsonRpcMessage[] = [];
  const response = await server.handle(parseMessage(message), peer, { send: (sent) => void messages.push(sent) });
  return response ? [...messages, response] : messages;
}
