import { Agent } from "node:http";
import { Agent as TlsAgent } from "node:https";
import type { Readable, Writable } from "node:stream";
import { Fault, isFault } from "../../core/fault.ts";
import { parseJsonBytes } from "../../core/json-bytes.ts";
import type { Log } from "../../core/log.ts";
import { quoted } from "../../core/peer-text.ts";
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
} from "../../mcp/messages/json-rpc.ts";
import { mirrorHeaders } from "../../mcp/messages/mirrored-headers.ts";
import { createFrameReader } from "../../mcp/stdio/frame-reader.ts";
import { isSessionId } from "./proxy-route.ts";

export interface ForwardStdioOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly log: Log;
  /** Where the proxy is: `http://127.0.0.1:8000`. */
  readonly proxyUrl: URL;
  readonly token?: Secret | undefined;
  /** The session to serve; without it the client's `initialize` says which, as `mcpSessionId`. */
  readonly sessionId?: string | undefined;
  readonly maxMessageBytes?: number | undefined;
  /** How long answers in flight may still take when the input has ended. */
  readonly graceMs?: number | undefined;
}

interface Waiting {
  readonly isModern: boolean;
  readonly stop: AbortController;
}

/** Serves one app session to the client at the other end of a pipe, by way of a proxy's HTTP endpoint. */
export async function forwardStdio(options: ForwardStdioOptions): Promise<void> {
  const { input, output, log, proxyUrl, token, graceMs = 2000, maxMessageBytes = 80 * 1024 * 1024 } = options;
  if (options.sessionId !== undefined && !isSessionId(options.sessionId)) {
    throw new Fault("usage", noSessionId(options.sessionId));
  }
  const url = new URL(`${proxyUrl.href.replace(/\/+$/, "")}/v1/mcp`);
  const agent = url.protocol === "https:" ? new TlsAgent({ keepAlive: true }) : new Agent({ keepAlive: true });
  const waiting = new Map<JsonRpcId, Waiting>();
  let { sessionId } = options;
  let handshakeId: JsonRpcId | undefined;
  let onQuiet: (() => void) | undefined;

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
    onMessage: answer,
    onLost: (id, fault) => answer(failure(id, rpcErrorOf(fault, "legacy"))),
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
  if (waiting.size > 0 && !output.destroyed) {
    await new Promise<void>((resolve) => {
      onQuiet = resolve;
      setTimeout(resolve, graceMs).unref();
    });
  }
  for (const { stop } of waiting.values()) stop.abort();
  await transport.close();
  agent.destroy();

  function receive(frame: Buffer): void {
    let value: unknown;
    try {
      value = parseJsonBytes(frame);
    } catch (error) {
      return write(failure(null, rpcErrorOf(error, "legacy")));
    }
    // Batches exist in the oldest revisions only, and their answers may come one by one.
    for (const each of Array.isArray(value) ? value : [value]) pass(each);
  }

  function pass(value: unknown): void {
    let message: JsonRpcMessage;
    try {
      message = parseMessage(value);
      bind(message);
    } catch (error) {
      if (!isNotice(value)) write(failure(idOf(value), rpcErrorOf(error, "legacy")));
      return;
    }
    if (isRequest(message)) return void request(message);
    if (isNotification(message) && cancelled(message.params?.requestId)) return;
    transport.send(message).catch((error: unknown) => log.warn("a notice could not be passed on", { error }));
  }

  /** The client may say which session in `initialize` and nowhere else: a pipe is one client's, and its session stays. */
  function bind(message: JsonRpcMessage): void {
    const isHandshake = isRequest(message) && message.method === "initialize";
    const wanted = (isHandshake ? message.params?.mcpSessionId : undefined) ?? sessionId;
    if (wanted === undefined) {
      throw new Fault(
        "bad-request",
        "Say which session: put mcpSessionId into the params of initialize, or start with --session or OPENCLAW_PROXY_SESSION_ID.",
      );
    }
    if (!isSessionId(wanted)) throw new Fault("bad-request", noSessionId(wanted));
    sessionId = wanted;
  }

  async function request(message: JsonRpcRequest): Promise<void> {
    const stop = new AbortController();
    const isModern = "mcp-method" in mirrorHeaders(message);
    waiting.set(message.id, { isModern, stop });
    if (message.method === "initialize") handshakeId = message.id;
    try {
      await transport.send(message, { signal: stop.signal });
    } catch (error) {
      if (!stop.signal.aborted) answer(failure(message.id, rpcErrorOf(explain(error), isModern ? "modern" : "legacy")));
    }
  }

  /** Requests of 2026-07-28 have no notice for it over HTTP: there, letting go of the answer is the cancel. */
  function cancelled(id: unknown): boolean {
    if (typeof id !== "string" && typeof id !== "number") return false;
    const found = waiting.get(id);
    settle(id);
    if (found?.isModern !== true) return false;
    found.stop.abort();
    return true;
  }

  function answer(message: JsonRpcMessage): void {
    if (!("method" in message) && message.id !== null) {
      if (message.id === handshakeId && "result" in message) settleVersion(message.result);
      if (!settle(message.id)) return;
    }
    write(message);
  }

  function settle(id: JsonRpcId): boolean {
    const was = waiting.delete(id);
    if (waiting.size === 0) onQuiet?.();
    return was;
  }

  function settleVersion(result: unknown): void {
    const { protocolVersion } = result as { protocolVersion?: unknown };
    if (typeof protocolVersion === "string") transport.settle(protocolVersion);
  }

  function write(message: JsonRpcMessage): void {
    if (!output.destroyed) output.write(`${encodeMessage(message)}\n`);
  }
}

/** Without an answer there is no proxy. */
function explain(error: unknown): unknown {
  if (!isFault(error, "unavailable") || error.detail !== undefined) return error;
  const advice = "Start it with `clawport proxy`, or say where it is: --proxy-base-url or OPENCLAW_PROXY_SERVER_URL.";
  return new Fault("unavailable", `${error.message} ${advice}`, { cause: error });
}

function isNotice(value: unknown): boolean {
  return typeof value === "object" && value !== null && !("id" in value);
}

function noSessionId(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return `${quoted(text)} is no session id: take the mcpSessionId that the proxy gave to the app.`;
}
