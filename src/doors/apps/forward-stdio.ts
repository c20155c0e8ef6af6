import type { Agent } from "node:http";
import { Agent as TlsAgent } from "node:https";
import type { Readable, Writable } from "node:stream";
import { Fault, isFault } from "../../core/fault.ts";
import { CheckedAgent } from "../../core/http/checked-agent.ts";
import { requireTrustedHolder } from "../../core/http/port-holder.ts";
import { parseJsonBytes } from "../../core/json-bytes.ts";
import { LazyAbort } from "../../core/lazy-abort.ts";
import type { Log } from "../../core/log.ts";
import { quoted } from "../../core/text/peer-text.ts";
import type { Secret } from "../../core/secrets/secret.ts";
import { createHttpTransport } from "../../mcp/client/http-transport.ts";
import {
  encodeMessage,
  failure,
  idOf,
  isNotification,
  isRequest,
  type JsonRpcId,
  type JsonRpcMessage,
  type JsonRpcRequest,
  parseMessage,
  rpcErrorOf,
  readId,
} from "../../mcp/messages/json-rpc.ts";
import { mirrorHeaders } from "../../mcp/messages/mirrored-headers.ts";
import { createFrameReader } from "../../mcp/stdio/frame-reader.ts";
import { isSessionId } from "./proxy-route.ts";

export interface ForwardStdioOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly log: Log;
  /** The address of the proxy: `http://127.0.0.1:8000`. */
  readonly proxyUrl: URL;
  readonly token?: Secret | undefined;
  /** The session to serve. Without it, the client names one as `mcpSessionId` in `initialize`. */
  readonly sessionId?: string | undefined;
  readonly maxMessageBytes?: number | undefined;
  /** How long to wait for pending responses after the input has ended. */
  readonly graceMs?: number | undefined;
}

interface PendingRequest {
  readonly isModern: boolean;
  readonly stop: LazyAbort;
}

/** Serves one app session over stdio: forwards every message to the HTTP endpoint of a proxy. */
export async function forwardStdio(options: ForwardStdioOptions): Promise<void> {
  const { input, output, log, proxyUrl, token, graceMs = 2000, maxMessageBytes = 80 * 1024 * 1024 } = options;
  if (options.sessionId !== undefined && !isSessionId(options.sessionId)) {
    throw new Fault("usage", notASessionId(options.sessionId));
  }
  const url = new URL(`${proxyUrl.href.replace(/\/+$/, "")}/v1/mcp`);
  const agent: Agent =
    url.protocol === "https:"
      ? new TlsAgent({ keepAlive: true })
      : new CheckedAgent(() => token && requireOwnProxy(url));
  const pending = new Map<JsonRpcId, PendingRequest>();
  let { sessionId } = options;
  let handshakeId: JsonRpcId | undefined;
  let onIdle: (() => void) | undefined;

  const transport = createHttpTransport({
    url,
    agent,
    log,
    maxMessageBytes,
    headers: () => ({
      ...(token === undefined ? {} : { authorization: `Bearer ${token.reveal()}` }),
      ...(sessionId === undefined ? {} : { "mcp-session-id": sessionId }),
    }),
  });
  await transport.start({
    onMessage: respond,
    onLost: (id, fault) => respond(failure(id, rpcErrorOf(fault, "legacy"))),
    onClose: () => {},
  });
  const reader = createFrameReader(maxMessageBytes, {
    onFrame: receive,
    onRefused(cause) {
      const fault = cause ?? new Fault("too-large", "The message is too large.");
      log.warn("a message was refused", { error: fault });
      write(failure(null, rpcErrorOf(fault, "legacy")));
    },
  });

  await new Promise<void>((resolve) => {
    input.on("data", reader.push);
    for (const event of ["end", "close", "error"]) input.once(event, () => resolve());
    for (const event of ["close", "error"]) output.once(event, () => resolve());
  });
  if (pending.size > 0 && !output.destroyed) {
    await new Promise<void>((resolve) => {
      onIdle = resolve;
      setTimeout(resolve, graceMs).unref();
    });
  }
  for (const { stop } of pending.values()) stop.abort(new Fault("cancelled", "The client is gone."));
  await transport.close();
  agent.destroy();

  function receive(frame: Buffer): void {
    let value: unknown;
    try {
      value = parseJsonBytes(frame);
    } catch (error) {
      return write(failure(null, rpcErrorOf(error, "legacy")));
    }
    // Only the oldest revisions have batches, and their responses may come one by one.
    for (const each of Array.isArray(value) ? value : [value]) forward(each);
  }

  function forward(value: unknown): void {
    let message: JsonRpcMessage;
    try {
      message = parseMessage(value);
      bindSession(message);
    } catch (error) {
      if (!isNotificationLike(value)) write(failure(idOf(value), rpcErrorOf(error, "legacy")));
      return;
    }
    if (isRequest(message)) return void request(message);
    if (isNotification(message) && cancel(message.params?.requestId)) return;
    transport.send(message).catch((error: unknown) => log.warn("a notification could not be forwarded", { error }));
  }

  /** The client may name the session in `initialize` only: a pipe has one client, which keeps its session. */
  function bindSession(message: JsonRpcMessage): void {
    const isHandshake = isRequest(message) && message.method === "initialize";
    const requested = (isHandshake ? message.params?.mcpSessionId : undefined) ?? sessionId;
    if (requested === undefined) {
      throw new Fault(
        "bad-request",
        "No session was named. Put mcpSessionId into the params of initialize, or start with `--session` or OPENCLAW_PROXY_SESSION_ID.",
      );
    }
    if (!isSessionId(requested)) throw new Fault("bad-request", notASessionId(requested));
    sessionId = requested;
  }

  async function request(message: JsonRpcRequest): Promise<void> {
    const stop = new LazyAbort();
    const isModern = "mcp-method" in mirrorHeaders(message);
    pending.set(message.id, { isModern, stop });
    if (message.method === "initialize") handshakeId = message.id;
    try {
      await transport.send(message, { abort: stop });
    } catch (error) {
      if (!stop.aborted) respond(failure(message.id, rpcErrorOf(withAdvice(error), isModern ? "modern" : "legacy")));
    }
  }

  /** Cancels a request. Revision 2026-07-28 has no notification for this over HTTP: closing the response cancels it. */
  function cancel(requestId: unknown): boolean {
    const id = readId(requestId);
    if (id === undefined) return false;
    const found = pending.get(id);
    settle(id);
    if (found?.isModern !== true) return false;
    found.stop.abort(new Fault("cancelled", "The client cancelled the request."));
    return true;
  }

  function respond(message: JsonRpcMessage): void {
    if (!("method" in message) && message.id !== null) {
      if (message.id === handshakeId && "result" in message) settleVersion(message.result);
      if (!settle(message.id)) return;
    }
    write(message);
  }

  function settle(id: JsonRpcId): boolean {
    const wasPending = pending.delete(id);
    if (pending.size === 0) onIdle?.();
    return wasPending;
  }

  function settleVersion(result: unknown): void {
    const { protocolVersion } = result as { protocolVersion?: unknown };
    if (typeof protocolVersion === "string") transport.settle(protocolVersion);
  }

  function write(message: JsonRpcMessage): void {
    if (!output.destroyed) output.write(`${encodeMessage(message)}\n`);
  }
}

/** The session's id is a secret, too, but it goes only where the token may. */
function requireOwnProxy({ hostname: host, port }: URL): void {
  const advice = "Stop that program, run the proxy as the same user as this command, or use an https address.";
  requireTrustedHolder({ host, port: Number(port || 80), what: "the app proxy", advice });
}

/** If the proxy did not answer at all, adds how to start or find it. */
function withAdvice(error: unknown): unknown {
  if (!isFault(error, "unavailable") || error.detail !== undefined) return error;
  const advice =
    "Start the proxy with `clawport proxy`, or set its address with `--proxy-base-url` or OPENCLAW_PROXY_SERVER_URL.";
  return new Fault("unavailable", `${error.message} ${advice}`, { cause: error });
}

function isNotificationLike(value: unknown): boolean {
  return typeof value === "object" && value !== null && !("id" in value);
}

function notASessionId(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return `${quoted(text)} is not a session id. Use the mcpSessionId that the proxy gave to the app.`;
}
