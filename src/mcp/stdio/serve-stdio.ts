import type { Readable, Writable } from "node:stream";
import { Fault } from "../../core/fault.ts";
import { createJsonSpiller, type JsonSpiller, parseJsonBytes, type SpillOptions } from "../../core/json-bytes.ts";
import { type Log, silentLog } from "../../core/log.ts";
import {
  encodeMessage,
  failure,
  idOf,
  isRequest,
  type JsonRpcMessage,
  type JsonRpcResponse,
  parseMessage,
  rpcErrorOf,
} from "../messages/json-rpc.ts";
import { requireBatch, serveEach } from "../server/batch.ts";
import { type McpServer, stoppedFault } from "../server/mcp-server.ts";
import type { Send } from "../server/peer.ts";
import type { ReplyRoute } from "../server/served-request.ts";
import { createFrameReader } from "./frame-reader.ts";

export interface StdioOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly log?: Log | undefined;
  readonly maxFrameBytes?: number | undefined;
  /** For servers that take large media: long texts go to files while the frame is read, and are gone when it is answered. */
  readonly spill?: SpillOptions | undefined;
  /** How many messages may be under way at once; beyond that nothing more is read until one of them is answered. */
  readonly mostInFlight?: number | undefined;
  /** How long answers in flight may still take when the input has ended. */
  readonly graceMs?: number | undefined;
}

/** Serves one client over a pair of streams, until the input ends and what was asked is answered. */
export async function serveStdio(server: McpServer, options: StdioOptions): Promise<void> {
  const { input, output, log = silentLog, maxFrameBytes = 4 * 1024 * 1024, spill, graceMs = 2000 } = options;
  const { mostInFlight = 1024 } = options;
  const writer = createLineWriter(output, pace);
  const send: Send = (message) => {
    writer.write(message);
    if (isPaused) pace();
  };
  const peer = server.openPeer({ principal: "stdio", twoWay: true, push: send });
  let inFlight = 0;
  let isPaused = false;
  let onQuiet: (() => void) | undefined;

  const reader = createFrameReader(
    maxFrameBytes,
    {
      onFrame: (frame, spiller) => void receive(frame, spiller),
      onRefused(cause) {
        const fault =
          cause ?? new Fault("too-large", `The message is larger than the ${maxFrameBytes} bytes taken here.`);
        log.warn("a message was refused", { error: fault });
        refuse(fault);
      },
    },
    spill && (() => createJsonSpiller(spill)),
  );

  await new Promise<void>((resolve) => {
    input.on("data", reader.push);
    input.once("end", resolve);
    input.once("close", resolve);
    input.once("error", () => resolve());
    output.once("close", resolve);
    output.on("error", () => resolve());
  });
  input.off("data", reader.push);
  await quiet(graceMs);
  // Somebody who still reads is told; the client may have closed only its own end, or it is we who stop.
  for (const request of peer.running.values()) request.stop(stoppedFault("This is being stopped."));
  await quiet(200);
  peer.close("The client has gone.");
  await writer.flushed(graceMs);

  /** Resolves when nothing is in flight, or after the time. */
  async function quiet(withinMs: number): Promise<void> {
    if (inFlight === 0 || output.destroyed) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, withinMs);
      onQuiet = () => (clearTimeout(timer), resolve());
      output.once("close", onQuiet);
    });
  }

  /** Serves a frame to its end, the answer written: only then does it no longer count as in flight. */
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
    let inside = true;
    if (++inFlight >= mostInFlight) pace();
    return () => {
      if (inside && --inFlight === 0) onQuiet?.();
      inside = false;
      if (isPaused) pace();
    };
  }

  /**
   * Reads on or waits: a client gets no more work done at once than allowed, and has to take its answers. One that was
   * asked something is always listened to, or its answer would never come.
   */
  function pace(): void {
    const isBusy = inFlight >= mostInFlight && peer.asking === 0;
    const wantsPause = isBusy || writer.isFull();
    if (wantsPause === isPaused) return;
    isPaused = wantsPause;
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
    // Read only because an answer is waited for.
    if (inFlight > mostInFlight && peer.asking > 0 && isRequest(message))
      return Promise.resolve(failure(message.id, rpcErrorOf(tooBusy(mostInFlight), "legacy")));
    // It lasts as long as the client wants: no answer is under way.
    if (isRequest(message) && message.method === "subscriptions/listen") leave();
    return server.handle(message, peer, route);
  }

  function refuse(error: unknown): void {
    writer.write(failure(null, rpcErrorOf(error, "legacy")));
  }
}

function tooBusy(most: number): Fault {
  return new Fault("busy", `${most} requests are under way, and some of them wait for an answer of yours. Try again.`);
}

/** As much as a client may leave unread before nothing more is taken from it. */
const maxBufferedBytes = 16 * 1024 * 1024;

/** Writes messages as lines; those of one turn of the loop leave in one piece. */
function createLineWriter(output: Writable, onPressure: () => void) {
  let lines = "";
  let scheduled = false;
  let isFull = false;
  const flush = () => {
    scheduled = false;
    const text = lines;
    lines = "";
    if (text !== "" && !output.destroyed) output.write(text);
    if (!isFull && output.writableLength > maxBufferedBytes) press(true);
  };
  const press = (full: boolean) => {
    isFull = full;
    onPressure();
  };
  output.on("drain", () => press(false));
  return {
    write(message: JsonRpcMessage | readonly JsonRpcResponse[]): void {
      lines += `${encodeMessage(message)}\n`;
      // A large piece leaves at once: gathering it would only hold memory.
      if (lines.length > 256 * 1024) return flush();
      if (scheduled) return;
      scheduled = true;
      setImmediate(flush);
    },
    isFull: () => isFull,
    /** Resolves when all is written, or after the time: a reader that does not read must not keep us. */
    flushed(withinMs: number): Promise<void> {
      flush();
      return new Promise((resolve) => {
        if (output.destroyed) return resolve();
        const timer = setTimeout(resolve, withinMs);
        output.write("", () => (clearTimeout(timer), resolve()));
      });
    },
  };
}
