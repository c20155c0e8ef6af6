import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import { type ClientFacts, unknownClient } from "../messages/client-facts.ts";
import type { McpLogLevel } from "../messages/interim-messages.ts";
import {
  encodeMessage,
  isNotification,
  type JsonRpcNotification,
  type JsonRpcResponse,
  readId,
} from "../messages/json-rpc.ts";
import { assumedVersion } from "../messages/protocol-version.ts";
import type { McpServer } from "../server/mcp-server.ts";
import type { Peer } from "../server/peer.ts";
import { type EventStream, openEventStream } from "./event-stream.ts";

/**
 * Legacy clients at an endpoint that opens no sessions. Every request has its own peer. Other messages (a cancel, an
 * answer to a question) find their request by the principal.
 */
export interface SessionlessClients {
  /** Opens the peer of one request. */
  openPeer(principal: string, version: string | undefined): Peer;
  /** Remembers what a served request said about its client, for the later requests of its principal. */
  remember(method: string, peer: Peer): void;
  receive(message: JsonRpcNotification | JsonRpcResponse, principal: string): Promise<void>;
  /** Keeps the response open for messages that belong to no request. */
  listen(response: ServerResponse, principal: string, version: string | undefined): void;
  /** Ends the streams that this principal listens on. */
  endStreams(principal: string): void;
  keepAlive(): void;
  close(): void;
}

interface Listener {
  readonly principal: string;
  readonly events: EventStream;
  stop(): void;
}

/** What a principal last said about its client. */
interface RememberedClient {
  readonly client?: ClientFacts;
  readonly logLevel?: McpLogLevel;
}

const maxRemembered = 1000;

export function createSessionlessClients(server: McpServer): SessionlessClients {
  const listeners = new Set<Listener>();
  const remembered = new Map<string, RememberedClient>();

  return {
    openPeer(principal, version) {
      const peer = server.openPeer({ principal, twoWay: true, askId });
      peer.version = version;
      const { client = unknownClient, logLevel = peer.logLevel } = remembered.get(principal) ?? {};
      peer.client = client;
      peer.logLevel = logLevel;
      return peer;
    },
    remember(method, { principal, client, logLevel }) {
      const update = method === "initialize" ? { client } : method === "logging/setLevel" ? { logLevel } : undefined;
      if (update === undefined) return;
      const before = remembered.get(principal);
      if (before === undefined && remembered.size >= maxRemembered) remembered.clear();
      remembered.set(principal, { ...before, ...update });
    },
    async receive(message, principal) {
      const running = [...server.running].filter(({ era, peer }) => era === "legacy" && peer.principal === principal);
      const peers = new Set(running.map(({ peer }) => peer));
      if (!isNotification(message)) {
        for (const peer of peers) peer.settle(message);
        return;
      }
      const id = readId(message.params?.requestId);
      const candidates = [...peers].filter((peer) => id !== undefined && peer.runningWith(id) !== undefined);
      // Two clients of one principal may use the same id. Stopping the wrong call is worse than stopping none.
      if (candidates.length === 1) await server.handle(message, candidates[0]!, { send: () => {} });
    },
    listen(response, principal, version) {
      const events = openEventStream(response);
      const peer = server.openPeer({
        principal,
        twoWay: false,
        push: (message) => events.write(encodeMessage(message)),
      });
      peer.version = version ?? assumedVersion;
      const listener: Listener = {
        principal,
        events,
        stop() {
          listeners.delete(listener);
          peer.close("The client stopped listening.");
          events.end();
        },
      };
      listeners.add(listener);
      response.once("close", listener.stop);
      if (response.destroyed) listener.stop();
    },
    endStreams(principal) {
      for (const listener of listeners) if (listener.principal === principal) listener.stop();
    },
    keepAlive() {
      for (const { events } of listeners) events.keepAlive();
    },
    close() {
      for (const listener of listeners) listener.stop();
    },
  };
}

/** Answers come without a session, so only an id that can't be guessed ties them to their question. */
function askId(): string {
  return `ask-${randomUUID()}`;
}
