import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import { type ClientFacts, unknownClient } from "../messages/client-facts.ts";
import type { McpLogLevel } from "../messages/interim-messages.ts";
import {
  encodeMessage,
  isNotification,
  type JsonRpcId,
  type JsonRpcNotification,
  type JsonRpcResponse,
} from "../messages/json-rpc.ts";
import type { McpServer } from "../server/mcp-server.ts";
import type { Peer } from "../server/peer.ts";
import { type EventStream, openEventStream } from "./event-stream.ts";

/**
 * Clients of the revisions with a handshake, at an endpoint that opens no sessions. Every request has a peer of its own;
 * what comes in between (a cancel, an answer to a question) finds its request by the principal.
 */
export interface SessionlessClients {
  /** The peer of one request. */
  enter(principal: string, version: string | undefined): Peer;
  /** This request of the peer was served: what it said of its client holds for the principal's later ones. */
  served(method: string, peer: Peer): void;
  note(message: JsonRpcNotification | JsonRpcResponse, principal: string): Promise<void>;
  /** Keeps the response open for what belongs to no request. */
  listen(response: ServerResponse, principal: string, version: string | undefined): void;
  /** Ends the streams this principal listens on. */
  dismiss(principal: string): void;
  keepAlive(): void;
  close(): void;
}

interface Listener {
  readonly principal: string;
  readonly events: EventStream;
  stop(): void;
}

/** What a principal last said of its client. */
interface RememberedClient {
  readonly client?: ClientFacts;
  readonly logLevel?: McpLogLevel;
}

const mostRemembered = 1000;

export function createSessionlessClients(server: McpServer): SessionlessClients {
  const listeners = new Set<Listener>();
  const known = new Map<string, RememberedClient>();

  return {
    enter(principal, version) {
      const peer = server.openPeer({ principal, twoWay: true, askId });
      peer.version = version;
      const { client = unknownClient, logLevel = peer.logLevel } = known.get(principal) ?? {};
      peer.client = client;
      peer.logLevel = logLevel;
      return peer;
    },
    served(method, { principal, client, logLevel }) {
      const said = method === "initialize" ? { client } : method === "logging/setLevel" ? { logLevel } : undefined;
      if (said === undefined) return;
      const before = known.get(principal);
      if (before === undefined && known.size >= mostRemembered) known.clear();
      known.set(principal, { ...before, ...said });
    },
    async note(message, principal) {
      const running = [...server.running].filter(({ era, peer }) => era === "legacy" && peer.principal === principal);
      const peers = new Set(running.map(({ peer }) => peer));
      if (!isNotification(message)) {
        for (const peer of peers) peer.settle(message);
        return;
      }
      const id = message.params?.requestId as JsonRpcId;
      const meant = [...peers].filter((peer) => peer.running.has(id));
      // Two clients that share a principal may use the same id; stopping the wrong call is worse than stopping none.
      if (meant.length === 1) await server.handle(message, meant[0]!, { send: () => {} });
    },
    listen(response, principal, version) {
      const events = openEventStream(response);
      const peer = server.openPeer({
        principal,
        twoWay: false,
        push: (message) => events.write(encodeMessage(message)),
      });
      peer.version = version ?? "2025-03-26";
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
    dismiss(principal) {
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

/** Answers come without a session, so that an id nobody can guess is all that ties them to their question. */
function askId(): string {
  return `ask-${randomUUID()}`;
}
