import type { IncomingMessage } from "node:http";
import { Fault } from "../../core/fault.ts";
import { parseJson } from "../parse-json.ts";

/** The JSON of a request's body, read no further than `maxBytes`. */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const declared = Number(request.headers["content-length"] ?? 0);
    if (declared > maxBytes) return reject(tooLarge(maxBytes));
    let chunks: Buffer | Buffer[] | undefined;
    let size = 0;
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) {
        request.removeAllListeners("data");
        reject(tooLarge(maxBytes));
      } else if (chunks === undefined) chunks = chunk;
      else if (Array.isArray(chunks)) chunks.push(chunk);
      else chunks = [chunks, chunk];
    });
    request.once("end", () => {
      const body = Array.isArray(chunks) ? Buffer.concat(chunks) : (chunks ?? Buffer.alloc(0));
      try {
        resolve(parseJson(body));
      } catch (error) {
        reject(error);
      }
    });
    request.once("error", (cause) => reject(new Fault("cancelled", "The client went away.", { cause })));
    request.once("close", () => reject(new Fault("cancelled", "The client went away.")));
  });
}

function tooLarge(maxBytes: number): Fault {
  return new Fault("too-large", `The message is larger than the ${maxBytes} bytes taken here.`);
}
