import { Fault } from "../fault.ts";
import { sizeText } from "../text/size-text.ts";

/**
 * Reads the body of a response, but never more than `maxBytes` of it; a longer one faults. `name` stands for the body in
 * the message.
 */
export async function readBoundedBody({ body, headers }: Response, maxBytes: number, name: string): Promise<Buffer> {
  const tooLarge = new Fault("too-large", `${name} has more than ${sizeText(maxBytes)}.`);
  if (Number(headers.get("content-length")) > maxBytes) {
    await body?.cancel();
    throw tooLarge;
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
