import type { Readable, Writable } from "node:stream";
import type { View } from "../../catalog/view.ts";
import type { Log } from "../../core/log.ts";
import type { Telemetry } from "../../core/telemetry/telemetry.ts";
import { settledWithin } from "../../core/wait.ts";
import { createMcpServer, type McpServer } from "../../mcp/server/mcp-server.ts";
import type { ServerInfo } from "../../mcp/server/offer.ts";
import { serveStdio } from "../../mcp/stdio/serve-stdio.ts";
import { type CallGuard, createViewOffer } from "./view-offer.ts";

export interface StdioDoorOptions {
  readonly view: View;
  readonly guard: CallGuard;
  readonly info: ServerInfo;
  readonly log: Log;
  readonly telemetry?: Telemetry | undefined;
  readonly input: Readable;
  readonly output: Writable;
  readonly maxFrameBytes?: number | undefined;
  /** What the catalog waits for at the start. The handshake is answered before or soon, everything else after. */
  readonly ready?: Promise<unknown> | undefined;
  /** How long answers may still take when the input has ended; more than `ready` takes, or they would be empty. */
  readonly graceMs?: number | undefined;
}

const handshake: ReadonlySet<string> = new Set(["initialize", "server/discover", "ping", "notifications/initialized"]);
/** `initialize` tells how to use the servers, once and for all: those that are quick are waited for. */
const handshakeMs = 1000;

/** Serves a view to the one client at the other end of a pipe, until it goes. */
export async function serveStdioDoor(options: StdioDoorOptions): Promise<void> {
  const { view, guard, info, log, telemetry, input, output, maxFrameBytes, ready, graceMs } = options;
  const server = createMcpServer(createViewOffer({ view, guard, door: "mcp-stdio", info, log, telemetry }), { log });
  try {
    await serveStdio(ready === undefined ? server : holdUntil(ready, server), {
      input,
      output,
      log,
      maxFrameBytes,
      graceMs,
    });
  } finally {
    server.close();
  }
}

/** In the order they came, so that a cancelling still meets the call it is about. */
function holdUntil(ready: Promise<unknown>, server: McpServer): McpServer {
  let isReady = false;
  const readiness = ready.then(
    () => (isReady = true),
    () => (isReady = true),
  );
  return {
    ...server,
    async handle(message, peer, route) {
      if (!isReady && "method" in message) {
        if (!handshake.has(message.method)) await readiness;
        else if (message.method === "initialize") await settledWithin(readiness, handshakeMs);
      }
      return server.handle(message, peer, route);
    },
  };
}
