import type { Log } from "../../core/log.ts";
import { settledWithin } from "../../core/wait.ts";
import { createMcpServer, type McpServer } from "../../mcp/server/mcp-server.ts";
import type { McpOffer } from "../../mcp/server/offer.ts";
import { serveStdio, type StdioOptions } from "../../mcp/stdio/serve-stdio.ts";
import type { OpeningRecorder } from "./first-answers/record-opening.ts";

export interface StdioDoorOptions extends StdioOptions {
  readonly offer: McpOffer;
  readonly log: Log;
  /** Ends the service at once when the token is no longer valid. */
  readonly revoked?: AbortSignal | undefined;
  /** Settles when the catalog is filled. Requests wait for it, the handshake only for a moment. */
  readonly ready?: Promise<unknown> | undefined;
  /** Notes how the client begins. */
  readonly recorder?: Pick<OpeningRecorder, "note"> | undefined;
}

const handshake: ReadonlySet<string> = new Set(["initialize", "server/discover", "ping", "notifications/initialized"]);
/** `initialize` sends the servers' instructions, and only once, so it waits this long for servers to connect. */
const handshakeMs = 1000;

/** Serves the one client at the other end of a pipe, until it disconnects. */
export async function serveStdioDoor(options: StdioDoorOptions): Promise<void> {
  const { offer, revoked, ready, recorder, ...stdio } = options;
  const { input, log } = stdio;
  const server = createMcpServer(offer, { log });
  const held = ready === undefined ? server : holdUntil(ready, server);
  const end = (): void => {
    server.close("The token was revoked.");
    input.destroy();
  };
  if (revoked?.aborted) end();
  revoked?.addEventListener("abort", end, { once: true });
  try {
    await serveStdio(recorder === undefined ? held : noteOpening(recorder, held), stdio);
  } finally {
    server.close();
  }
}

function noteOpening(recorder: Pick<OpeningRecorder, "note">, server: McpServer): McpServer {
  return {
    ...server,
    async handle(message, peer, route) {
      const noteAnswer = recorder.note(message);
      const answer = await server.handle(message, peer, route);
      noteAnswer(answer);
      return answer;
    },
  };
}

/**
 * Keeps messages in order, so that a cancellation comes after the call it is about, and a list after the handshake that
 * says which client it is for.
 */
function holdUntil(ready: Promise<unknown>, server: McpServer): McpServer {
  let isReady = false;
  let initialized: Promise<unknown> | undefined;
  const readiness = ready.then(
    () => (isReady = true),
    () => (isReady = true),
  );
  return {
    ...server,
    async handle(message, peer, route) {
      const serve = () => server.handle(message, peer, route);
      if (isReady || !("method" in message)) return serve();
      if (message.method === "initialize") {
        const answer = settledWithin(readiness, handshakeMs).then(serve);
        initialized = answer;
        return answer;
      }
      if (!handshake.has(message.method)) await Promise.allSettled([readiness, initialized]);
      return serve();
    },
  };
}
