import type { ServerResponse } from "node:http";
import { encodeMessage, type JsonRpcMessage } from "../messages/json-rpc.ts";
import { primesStreams } from "../messages/protocol-version.ts";
import type { StoredStream } from "./event-store.ts";

/** A reader that lags this far behind is cut off; a session's client comes back for the rest. */
const maxBufferedBytes = 16 * 1024 * 1024;

/** The sending side of Server-Sent Events over one response. */
export interface EventStream {
  write(data: string, id?: string): void;
  /** A comment line: keeps proxies from closing a quiet stream. */
  keepAlive(): void;
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
  // A slow reader's response is ended long before it is closed, and writing to it in between throws where nobody catches.
  const isOver = () => response.destroyed || response.writableEnded;
  return {
    write(data, id) {
      if (isOver()) return;
      // Looked at before this message: a single large one is no lag.
      if (response.writableLength > maxBufferedBytes) response.destroy();
      else response.write(id === undefined ? `data: ${data}\n\n` : `id: ${id}\ndata: ${data}\n\n`);
    },
    keepAlive() {
      if (!isOver()) response.write(":\n\n");
    },
    end() {
      if (!isOver()) response.end();
    },
  };
}

/** Tells the client how soon to come back, and gives it an id to come back with before anything was said. */
function primeEventStream(response: ServerResponse, id: string, retryMs: number): void {
  response.write(`id: ${id}\nretry: ${retryMs}\ndata: \n\n`);
}

/** How soon a client whose stream was closed on purpose comes back. */
const reconnectAfterMs = 1000;

/** An event stream of a session: it outlives the connection it started on, so that a client can pick it up again. */
export interface SessionStream {
  readonly id: string;
  send(message: JsonRpcMessage): void;
  /** Goes on over this response; what was missed is sent first. Says whether everything missed was still there. */
  attach(response: ServerResponse, lastEventId: string | undefined, headers: Readonly<Record<string, string>>): boolean;
  isAttached(): boolean;
  keepAlive(): void;
  /** Closes the connection, not the stream. */
  release(): void;
  /** Nothing more will come. */
  end(): void;
  /** Ended, and nothing left to send again. */
  isSpent(): boolean;
  drop(): void;
}

export function createSessionStream(stored: StoredStream, version: string | undefined): SessionStream {
  let attached: { events: EventStream; response: ServerResponse } | undefined;
  let ended = false;

  return {
    id: stored.id,
    send(message) {
      const data = encodeMessage(message);
      const id = stored.append(data);
      attached?.events.write(data, id);
    },
    attach(response, lastEventId, headers) {
      const missed = lastEventId === undefined ? [] : stored.after(lastEventId);
      if (!missed) return false;
      attached?.events.end();
      const events = openEventStream(response, headers);
      // A connection that was lost before anything was said closes no second time: nothing would ever let go of it.
      attached = response.destroyed ? undefined : { events, response };
      response.once("close", () => {
        if (attached?.response === response) attached = undefined;
      });
      // The priming event counts as one of the stream, so its id can be come back with.
      if (lastEventId === undefined && primesStreams(version))
        primeEventStream(response, stored.append(""), reconnectAfterMs);
      for (const { id, data } of missed) events.write(data, id);
      if (ended) events.end();
      return true;
    },
    isAttached: () => attached !== undefined,
    keepAlive: () => attached?.events.keepAlive(),
    release() {
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
