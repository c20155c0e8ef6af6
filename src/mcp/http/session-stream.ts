import type { ServerResponse } from "node:http";
import { encodeMessage } from "../encode-message.ts";
import type { JsonRpcMessage } from "../json-rpc.ts";
import { primesStreams } from "../protocol-version.ts";
import { type EventStream, openEventStream, primeEventStream } from "./event-stream.ts";
import type { StoredStream } from "./event-store.ts";

/** How soon a client whose stream was closed on purpose comes back. */
const retryMs = 1000;

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
      if (lastEventId === undefined && primesStreams(version)) primeEventStream(response, stored.append(""), retryMs);
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
