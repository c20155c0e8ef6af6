import type { IncomingMessage } from "node:http";
import { Fault } from "../fault.ts";
import { type JsonSpiller, parseJsonBytes } from "../json-bytes.ts";

/** Watches one body while it arrives. */
export interface BodyWatch {
  /** Called with the bytes that have arrived, and with how many of them are in memory. Returns a fault if it's too much. */
  grow(received: number, inMemory: number): Fault | undefined;
  /** Called when nothing more is read. */
  end(): void;
  /** Set by the reader: ends the reading with this fault. */
  giveUp?: (fault: Fault) => void;
}

/** The JSON body of a request, read no further than `maxBytes`. Its long strings go to the spiller, if there is one. */
export function readBody(
  request: IncomingMessage,
  maxBytes: number,
  spiller?: JsonSpiller,
  watch?: BodyWatch,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    let chunks: Buffer | Buffer[] | undefined;
    let size = 0;
    const declared = Number(request.headers["content-length"] ?? 0);
    if (declared > maxBytes) return fail(tooLarge(maxBytes));
    if (watch) watch.giveUp = fail;
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) return fail(tooLarge(maxBytes));
      if (spiller) spill(chunk);
      else if (chunks === undefined) chunks = chunk;
      else if (Array.isArray(chunks)) chunks.push(chunk);
      else chunks = [chunks, chunk];
      // Most bodies are complete with their first chunk: there is nothing to watch then.
      if (size === declared || !watch) return;
      const fault = watch.grow(size, spiller?.bytesInMemory ?? size);
      if (fault) fail(fault);
    });
    request.on("end", () => {
      watch?.end();
      // Not `resolve` with a promise: one that rejects after a refusal would be an unhandled rejection.
      try {
        resolve(parseJsonBytes(wholeBody()));
      } catch (error) {
        reject(error);
      }
      chunks = undefined;
    });
    request.on("error", (cause) => fail(new Fault("cancelled", "The client went away.", { cause })));
    request.on("close", () => {
      // Every request closes: making a fault that nothing reads would cost more than the rest of this function.
      if (!request.readableEnded) fail(new Fault("cancelled", "The client went away."));
    });

    function fail(fault: Fault): void {
      request.removeAllListeners("data");
      chunks = undefined;
      watch?.end();
      reject(fault);
    }

    function wholeBody(): Buffer {
      if (spiller) return spiller.end().json;
      return Array.isArray(chunks) ? Buffer.concat(chunks) : (chunks ?? empty);
    }

    function spill(chunk: Buffer): void {
      try {
        spiller?.push(chunk);
      } catch (cause) {
        fail(new Fault("io", "The message could not be put on disk.", { cause }));
      }
    }
  });
}

const empty = Buffer.alloc(0);

function tooLarge(maxBytes: number): Fault {
  return new Fault("too-large", `The message is larger than the ${maxBytes} bytes taken here.`);
}

/** Whether the rest of a refused request's body is left unread: it would be taken for the next request. */
export function leavesBodyUnread({ complete }: IncomingMessage, { code }: Fault): boolean {
  return code === "too-large" || code === "slow-request" || ((code === "busy" || code === "io") && !complete);
}
