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
  return {
    write(data, id) {
      if (response.destroyed) return;
      response.write(id === undefined ? `data: ${data}\n\n` : `id: ${id}\ndata: ${data}\n\n`);
      if (response.writableLength > mostUnread) response.destroy();
    },
    keepAlive() {
      if (!response.destroyed) response.write(":\n\n");
    },
    end() {
      if (!response.destroyed) response.end();
    },
  };
}

/** Tells the client how soon to come back, and gives it an id to come back with before anything was said. */
export function primeEventStream(response: ServerResponse, id: string, retryMs: number): void {
  response.write(`id: ${id}\nretry: ${retryMs}\ndata: \n\n`);
}
