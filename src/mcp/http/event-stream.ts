import type { ServerResponse } from "node:http";

/** A reader that lags this far behind is cut off; a session's client comes back for the rest. */
const mostUnread = 16 * 1024 * 1024;

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
      if (response.writableLength > mostUnread) response.destroy();
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
export function primeEventStream(response: ServerResponse, id: string, retryMs: number): void {
  response.write(`id: ${id}\nretry: ${retryMs}\ndata: \n\n`);
}
