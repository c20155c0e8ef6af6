import type { ServerResponse } from "node:http";
import { prepareToSend } from "../../core/http/turn-end.ts";
import type { EncodedMessage } from "../messages/encoded-message.ts";
import { encodeMessage, type JsonRpcMessage } from "../messages/json-rpc.ts";
import { primesStreams } from "../messages/protocol-version.ts";
import type { StoredStream } from "./event-store.ts";

/** A reader that falls this far behind is disconnected. The client of a session can come back for the rest. */
const maxBufferedBytes = 16 * 1024 * 1024;

/** The sending side of Server-Sent Events over one response. */
export interface EventStream {
  write(data: string | EncodedMessage, id?: string): void;
  /** Writes a comment line, so that proxies do not close a quiet stream. */
  keepAlive(): void;
  /** Says when to reconnect once the stream has ended. */
  retryAfter(ms: number): void;
  end(): void;
}

export function openEventStream(response: ServerResponse, headers: Readonly<Record<string, string>> = {}): EventStream {
  response.writeHead(200, {
    "content-type": "text/event-stream",
    "cache-control": "no-cache, no-transform",
    "x-accel-buffering": "no",
    ...headers,
  });
  response.flushHeaders();
  // With a slow reader, a response is ended long before it is closed. A write in between is an uncaught error.
  const isOver = () => response.destroyed || response.writableEnded;
  return {
    write(data, id) {
      if (isOver()) return;
      prepareToSend();
      // Checked before the write: a single large message does not mean that the reader is slow.
      if (response.writableLength > maxBufferedBytes) response.destroy();
      else if (typeof data === "string")
        response.write(id === undefined ? `data: ${data}\n\n` : `id: ${id}\ndata: ${data}\n\n`);
      else {
        response.write(id === undefined ? "data: " : `id: ${id}\ndata: `);
        for (const piece of data.pieces) response.write(piece);
        response.write("\n\n");
      }
    },
    keepAlive() {
      if (!isOver()) response.write(":\n\n");
    },
    retryAfter(ms) {
      if (!isOver()) response.write(`retry: ${ms}\n\n`);
    },
    end() {
      if (!isOver()) response.end();
    },
  };
}

/** Tells the client when to reconnect, and gives it an event id to reconnect with before the first message. */
function primeEventStream(response: ServerResponse, id: string, retryMs: number): void {
  response.write(`id: ${id}\nretry: ${retryMs}\ndata: \n\n`);
}

/** When a client should reconnect after the server closed its stream on purpose. */
const reconnectAfterMs = 1000;
/** When to reconnect after the stream broke. Official clients try only twice, and a restart may take seconds. */
const reconnectAfterLossMs = 3000;

/** An event stream of a session. It outlives its connection, so that the client can resume it. */
export interface SessionStream {
  readonly id: string;
  send(message: JsonRpcMessage | EncodedMessage): void;
  /** Continues over this response, starting with the missed events. False if some of those are gone. */
  attach(response: ServerResponse, lastEventId: string | undefined, headers: Readonly<Record<string, string>>): boolean;
  isAttached(): boolean;
  keepAlive(): void;
  /** Closes the connection but not the stream. */
  release(): void;
  /** Ends the stream: no more messages will be sent. */
  end(): void;
  /** Whether the stream has ended and has no events left to send again. */
  isSpent(): boolean;
  drop(): void;
}

export function createSessionStream(stored: StoredStream, version: string | undefined): SessionStream {
  let attached: { events: EventStream; response: ServerResponse } | undefined;
  let ended = false;

  return {
    id: stored.id,
    send(message) {
      const data = "pieces" in message ? message : encodeMessage(message);
      const id = stored.append(data);
      attached?.events.write(data, id);
    },
    attach(response, lastEventId, headers) {
      const missed = lastEventId === undefined ? [] : stored.after(lastEventId);
      if (!missed) return false;
      attached?.events.end();
      const events = openEventStream(response, headers);
      // A response that is already destroyed emits no "close", so it would stay attached forever.
      attached = response.destroyed ? undefined : { events, response };
      response.once("close", () => {
        if (attached?.response === response) attached = undefined;
      });
      // The priming event is stored like any other, so that the client can resume from its id.
      if (lastEventId === undefined && primesStreams(version))
        primeEventStream(response, stored.append(""), reconnectAfterLossMs);
      for (const { id, data } of missed) events.write(data, id);
      if (ended) events.end();
      return true;
    },
    isAttached: () => attached !== undefined,
    keepAlive: () => attached?.events.keepAlive(),
    release() {
      attached?.events.retryAfter(reconnectAfterMs);
      attached?.events.end();
      attached = undefined;
    },
    end() {
      ended = true;
      attached?.events.end();
    },
    isSpent: () => ended && stored.isEmpty(),
    drop() {
      ended = true;
      attached?.events.end();
      stored.drop();
    },
  };
}
