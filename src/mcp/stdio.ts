import type { Readable, Writable } from "node:stream";
import { Fault } from "../core/fault.ts";
import { type Log, silentLog } from "../core/log.ts";
import { createFrameReader } from "./frame-reader.ts";
import { idOf, isRequest, type JsonRpcMessage, type JsonRpcResponse, parseMessage } from "./json-rpc.ts";
import { parseJson } from "./parse-json.ts";
import { allowsBatches } from "./protocol-version.ts";
import { failure, rpcErrorOf } from "./rpc-failure.ts";
import type { McpServer } from "./server.ts";

export interface StdioOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly log?: Log;
  readonly maxFrameBytes?: number;
  /** How long answers in flight may still take when the input has ended. */
  readonly graceMs?: number;
}

/** Serves one client over a pair of streams, until the input ends and what was asked is answered. */
export async function serveStdio(server: McpServer, options: StdioOptions): Promise<void> {
  const { input, output, log = silentLog, maxFrameBytes = 4 * 1024 * 1024, graceMs = 2000 } = options;
  const writer = createLineWriter(output);
  const peer = server.openPeer({ principal: "stdio", twoWay: true, push: writer.write });
  let inFlight = 0;
  let onQuiet: (() => void) | undefined;

  const reader = createFrameReader(maxFrameBytes, {
    onFrame: (frame) => receive(frame),
    onTooLarge: () => {
      log.warn("a message was larger than is taken here", { maxFrameBytes });
      writer.write(
        failure(
          null,
          rpcErrorOf(
            new Fault("too-large", `The message is larger than the ${maxFrameBytes} bytes taken here.`),
            "legacy",
          ),
        ),
      );
    },
  });

  await new Promise<void>((resolve) => {
    input.on("data", reader.push);
    input.once("end", resolve);
    input.once("close", resolve);
    input.once("error", () => resolve());
    output.once("close", resolve);
    output.on("error", () => resolve());
  });
  if (inFlight > 0 && !output.destroyed) {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, graceMs);
      onQuiet = () => (clearTimeout(timer), resolve());
      output.once("close", onQuiet);
    });
  }
  peer.close("The client has gone.");
  await writer.flushed();

  function receive(frame: Buffer): void {
    let value: unknown;
    try {
      value = parseJson(frame);
    } catch (error) {
      return writer.write(failure(null, rpcErrorOf(error, "legacy")));
    }
    if (Array.isArray(value)) return receiveBatch(value);
    void serveOne(value).then((answer) => answer && writer.write(answer));
  }

  function receiveBatch(batch: readonly unknown[]): void {
    if (!allowsBatches(peer.version) || batch.length === 0 || batch.length > 100) {
      const fault = new Fault("bad-request", "Batches of 1 to 100 messages exist in revisions before 2025-06-18 only.");
      return writer.write(failure(null, rpcErrorOf(fault, "legacy")));
    }
    void serveBatch(batch);
  }

  async function serveBatch(batch: readonly unknown[]): Promise<void> {
    const answers = await Promise.all(batch.map(serveOne));
    const sent = answers.filter((answer) => answer !== undefined);
    if (sent.length > 0) writer.write(sent);
  }

  async function serveOne(value: unknown): Promise<JsonRpcResponse | undefined> {
    let message: JsonRpcMessage;
    try {
      message = parseMessage(value);
    } catch (error) {
      return failure(idOf(value), rpcErrorOf(error, "legacy"));
    }
    if (!isRequest(message)) return server.handle(message, peer, { send: writer.write });
    inFlight++;
    try {
      return await server.handle(message, peer, { send: writer.write });
    } finally {
      if (--inFlight === 0) onQuiet?.();
    }
  }
}

/** Writes messages as lines; those of one turn of the loop leave in one piece. */
function createLineWriter(output: Writable) {
  let lines = "";
  let scheduled = false;
  const flush = () => {
    scheduled = false;
    const text = lines;
    lines = "";
    if (text !== "" && !output.destroyed) output.write(text);
  };
  return {
    write(message: JsonRpcMessage | readonly JsonRpcMessage[]): void {
      lines += `${JSON.stringify(message)}\n`;
      // A large piece leaves at once: gathering it would only hold memory.
      if (lines.length > 256 * 1024) return flush();
      if (scheduled) return;
      scheduled = true;
      setImmediate(flush);
    },
    flushed(): Promise<void> {
      flush();
      return new Promise((resolve) => {
        if (output.destroyed) resolve();
        else output.write("", () => resolve());
      });
    },
  };
}
