import type { Readable, Writable } from "node:stream";
import { Fault } from "../../core/fault.ts";
import { createJsonSpiller, type JsonSpiller, parseJsonBytes, type SpillOptions } from "../../core/json-bytes.ts";
import { type Log, silentLog } from "../../core/log.ts";
import {
  failure,
  idOf,
  isRequest,
  type JsonRpcMessage,
  type JsonRpcResponse,
  notification,
  parseMessage,
  rpcErrorOf,
} from "../messages/json-rpc.ts";
import { requireBatch, serveEach } from "../server/batch.ts";
import { type McpServer, stoppedFault } from "../server/mcp-server.ts";
import type { Send } from "../server/peer.ts";
import type { ReplyRoute } from "../server/served-request.ts";
import { createFrameReader } from "./frame-reader.ts";
import { createLineWriter } from "./line-writer.ts";

export interface StdioOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** The name of the client's token, if it has one; `stdio` unless given. */
  readonly principal?: string | undefined;
  readonly log?: Log | undefined;
  readonly maxFrameBytes?: number | undefined;
  /** For servers that take large media: long strings go to files while a frame is read, and are deleted after the response. */
  readonly spill?: SpillOptions | undefined;
  /** How many messages may be in flight. Beyond that nothing more is read until one of them is answered. */
  readonly maxInFlight?: number | undefined;
  /** How long requests in flight may still take after the input has ended. */
  readonly graceMs?: number | undefined;
  /** What the client has sent and been answered before the input is read. It is served first, for what it changes. */
  readonly answered?: readonly AnsweredMessage[] | undefined;
}

export interface AnsweredMessage {
  readonly message: JsonRpcMessage;
  /** The result that the client has got, as JSON; undefined for a notification. */
  readonly answer: string | undefined;
}

/** Serves one client over a pair of streams, until the input ends and its requests are answered. */
export async function serveStdio(server: McpServer, options: StdioOptions): Promise<void> {
  const { input, output, log = silentLog, maxFrameBytes = 4 * 1024 * 1024, spill, graceMs = 2000 } = options;
  const { principal = "stdio", maxInFlight = 1024 } = options;
  const writer = createLineWriter(output, pauseOrResume);
  const send: Send = (message) => {
    writer.write(message);
    if (isPaused) pauseOrResume();
  };
  const peer = server.openPeer({ principal, twoWay: true, push: send });
  let inFlight = 0;
  let isPaused = false;
  let onIdle: (() => void) | undefined;

  const reader = createFrameReader(
    maxFrameBytes,
    {
      onFrame: (frame, spiller) => void receive(frame, spiller),
      onRefused(cause) {
        const fault = cause ?? new Fault("too-large", `The message is larger than ${maxFrameBytes} bytes.`);
        log.warn("refused a message", { error: fault });
        refuse(fault);
      },
    },
    spill && (() => createJsonSpiller(spill)),
  );

  let hasEnded = false;
  const ended = new Promise<void>((resolve) => {
    input.once("end", resolve);
    input.once("close", resolve);
    input.once("error", () => resolve());
    output.once("close", resolve);
    output.on("error", () => resolve());
  }).then(() => (hasEnded = true));
  for (const [at, each] of (options.answered ?? []).entries()) {
    const again = serveAgain(each, at);
    // What comes next depends on the handshake; a list may take as long as a server takes to start.
    if (changedBy(each) === undefined) await Promise.race([again, ended]);
  }
  input.on("data", reader.push);
  input.resume();
  await ended;
  input.off("data", reader.push);
  await idle(graceMs);
  // The client may still read: it may have closed only its own end, or it is this process that stops.
  for (const request of peer.running) request.stop(stoppedFault("The server is stopping."));
  await idle(200);
  peer.close("The client has disconnected.");
  await writer.flushed(graceMs);

  /** Announces a list that is not the one that the client has got. The ids are ours: the client may use its own again. */
  async function serveAgain(answered: AnsweredMessage, at: number): Promise<void> {
    const { message, answer } = answered;
    const again = isRequest(message) ? { ...message, id: `answered-${at}` } : message;
    const today = await server.handle(again, peer, { send });
    const changed = changedBy(answered);
    if (changed === undefined || hasEnded) return;
    if (today && "result" in today && JSON.stringify(today.result) === answer) return;
    send(notification(changed));
  }

  /** Resolves when nothing is in flight, or after the time. */
  async function idle(withinMs: number): Promise<void> {
    if (inFlight === 0 || output.destroyed) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, withinMs);
      onIdle = () => (clearTimeout(timer), resolve());
      output.once("close", onIdle);
    });
  }

  /** Serves a frame. It counts as in flight until its response is written. */
  async function receive(frame: Buffer, spiller: JsonSpiller | undefined): Promise<void> {
    const leave = enter();
    try {
      const value = parseJsonBytes(frame);
      const route: ReplyRoute = { send, spilled: spiller?.end().texts };
      const answer = await serveValue(value, route, leave);
      if (answer) writer.write(answer);
    } catch (error) {
      refuse(error);
    } finally {
      spiller?.dispose();
      leave();
    }
  }

  /** Counts something as in flight until the returned function is called. */
  function enter(): () => void {
    let isInFlight = true;
    if (++inFlight >= maxInFlight) pauseOrResume();
    return () => {
      if (isInFlight && --inFlight === 0) onIdle?.();
      isInFlight = false;
      if (isPaused) pauseOrResume();
    };
  }

  /**
   * Pauses the input while too much is in flight or the client does not read its responses. A client that was asked
   * something is always read from, or its answer would never arrive.
   */
  function pauseOrResume(): void {
    const isBusy = inFlight >= maxInFlight && peer.asking === 0;
    const shouldPause = isBusy || writer.isFull();
    if (shouldPause === isPaused) return;
    isPaused = shouldPause;
    if (isPaused) input.pause();
    else input.resume();
  }

  async function serveValue(
    value: unknown,
    route: ReplyRoute,
    leave: () => void,
  ): Promise<JsonRpcResponse | readonly JsonRpcResponse[] | undefined> {
    if (Array.isArray(value)) {
      requireBatch(value, peer.version);
      return serveEach(value, (message) => serveOne(message, route, leave));
    }
    let message: JsonRpcMessage;
    try {
      message = parseMessage(value);
    } catch (error) {
      return failure(idOf(value), rpcErrorOf(error, "legacy"));
    }
    return serveOne(message, route, leave);
  }

  function serveOne(
    message: JsonRpcMessage,
    route: ReplyRoute,
    leave: () => void,
  ): Promise<JsonRpcResponse | undefined> {
    // The input is read only because the server waits for an answer.
    if (inFlight > maxInFlight && peer.asking > 0 && isRequest(message))
      return Promise.resolve(failure(message.id, rpcErrorOf(tooBusy(maxInFlight), "legacy")));
    // A subscription has no end of its own, so it does not count as in flight.
    if (isRequest(message) && message.method === "subscriptions/listen") leave();
    return server.handle(message, peer, route);
  }

  function refuse(error: unknown): void {
    writer.write(failure(null, rpcErrorOf(error, "legacy")));
  }
}

/** The notification that a message's answer has changed; undefined if it asks for no list. */
function changedBy({ message }: AnsweredMessage): string | undefined {
  const [, list] =
    ("method" in message && /^(tools|prompts|resources)\/(?:templates\/)?list$/.exec(message.method)) || [];
  return list && `notifications/${list}/list_changed`;
}

function tooBusy(most: number): Fault {
  return new Fault("busy", `${most} requests are in flight, and some of them wait for your answer. Try again.`);
}
