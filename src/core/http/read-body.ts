import type { IncomingMessage } from "node:http";
import { Fault } from "../fault.ts";
import { type JsonSpiller, parseJsonBytes } from "../json-bytes.ts";

/** The JSON body of a request, read no further than `maxBytes`. Its long strings go to the spiller, if there is one. */
export function readBody(request: IncomingMessage, maxBytes: number, spiller?: JsonSpiller): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const declared = Number(request.headers["content-length"] ?? 0);
    if (declared > maxBytes) return reject(tooLarge(maxBytes));
    let chunks: Buffer | Buffer[] | undefined;
    let size = 0;
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) {
        request.removeAllListeners("data");
        chunks = undefined;
        reject(tooLarge(maxBytes));
      } else if (spiller) spill(chunk);
      else if (chunks === undefined) chunks = chunk;
      else if (Array.isArray(chunks)) chunks.push(chunk);
      else chunks = [chunks, chunk];
    });
    request.on("end", () => {
      // Not `resolve` with a promise: one that rejects after a refusal would be an unhandled rejection.
      try {
        resolve(parseJsonBytes(wholeBody()));
      } catch (error) {
        reject(error);
      }
    });
    request.on("error", (cause) => reject(new Fault("cancelled", "The client went away.", { cause })));
    request.on("close", () => {
      // Every request closes: making a fault that nothing reads would cost more than the rest of this function.
      if (!request.readableEnded) reject(new Fault("cancelled", "The client went away."));
    });

    function wholeBody(): Buffer {
      if (spiller) return spiller.end().json;
      return Array.isArray(chunks) ? Buffer.concat(chunks) : (chunks ?? empty);
    }

    function spill(chunk: Buffer): void {
      try {
        spiller?.push(chunk);
      } catch (cause) {
        request.removeAllListeners("data");
        reject(new Fault("io", "The message could not be put on disk.", { cause }));
      }
    }
  });
}

const empty = Buffer.alloc(0);

function tooLarge(maxBytes: number): Fault {
  return new Fault("too-large", `The message is larger than the ${maxBytes} bytes taken here.`);
}
