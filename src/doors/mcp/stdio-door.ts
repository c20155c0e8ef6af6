import type { Readable, Writable } from "node:stream";
import type { View } from "../../catalog/view.ts";
import type { Log } from "../../core/log.ts";
import type { Telemetry } from "../../core/telemetry/telemetry.ts";
import { settledWithin } from "../../core/wait.ts";
import { createMcpServer, type McpServer } from "../../mcp/server/mcp-server.ts";
import type { ServerInfo } from "../../mcp/server/offer.ts";
import { type AnsweredMessage, serveStdio } from "../../mcp/stdio/serve-stdio.ts";
import type { OpeningRecorder } from "./opening/record-opening.ts";
import { offerResults } from "./results/result-offer.ts";
import type { Results } from "./results/results.ts";
import type { Surfaces } from "./surface/surfaces.ts";
import { type CallGuard, createViewOffer } from "./view-offer.ts";

export interface StdioDoorOptions {
  readonly view: View;
  readonly guard: CallGuard;
  readonly info: ServerInfo;
  readonly log: Log;
  readonly telemetry?: Telemetry | undefined;
  /** How the client gets the tools; all in one list unless given. */
  readonly surfaces?: Surfaces | undefined;
  /** The token of the client, if it has one. */
  readonly token?: { readonly name: string; readonly key: string } | undefined;
  /** The instructions of a view that has none. */
  readonly fallbackInstructions?: (() => string | undefined) | undefined;
  readonly input: Readable;
  readonly output: Writable;
  readonly maxFrameBytes?: number | undefined;
  /** Settles when the catalog is filled. Requests wait for it, the handshake only for a moment. */
  readonly ready?: Promise<unknown> | undefined;
  /** Keeps large results. Without it they are sent whole. */
  readonly results?: Results | undefined;
  /** What the client was answered before this was loaded. */
  readonly answered?: readonly AnsweredMessage[] | undefined;
  /** Notes how the client begins. */
  readonly recorder?: Pick<OpeningRecorder, "note"> | undefined;
  /** How long answers may take after the input has ended. Must be longer than `ready` takes, or they would be empty. */
  readonly graceMs?: number | undefined;
}

const handshake: ReadonlySet<string> = new Set(["initialize", "server/discover", "ping", "notifications/initialized"]);
/** `initialize` sends the servers' instructions, and only once, so it waits this long for servers to connect. */
const handshakeMs = 1000;

/** Serves a view to the one client at the other end of a pipe, until it disconnects. */
export async function serveStdioDoor(options: StdioDoorOptions): Promise<void> {
  const { view, guard, info, log, telemetry, input, output, maxFrameBytes, ready, graceMs } = options;
  const listPatienceMs = ready === undefined ? undefined : 0;
  const { fallbackInstructions, token } = options;
  const door = "mcp-stdio";
  const rights = token && { tokenKey: () => token.key.slice(0, 16) };
  const shared = { view, guard, door, rights, log } as const;
  const offer = createViewOffer({ ...shared, info, telemetry, listPatienceMs, fallbackInstructions });
  const shown = options.surfaces?.wrap(offer, view) ?? offer;
  const { results } = options;
  const whole = results === undefined ? shown : offerResults(shown, { ...shared, results, tokenKey: () => token?.key });
  const server = createMcpServer(whole, { log });
  const held = ready === undefined ? server : holdUntil(ready, server);
  const { answered, recorder } = options;
  try {
    await serveStdio(recorder === undefined ? held : noteOpening(recorder, held), {
      input,
      output,
      principal: token?.name,
      log,
      maxFrameBytes,
      graceMs,
      answered,
    });
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
