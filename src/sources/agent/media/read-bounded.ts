import { Fault } from "../../../core/fault.ts";
import { sizeText } from "./media-limits.ts";

/**
 * The body of a response, as long as it has no more than `most` bytes: what is beyond that is not even fetched. `name` is
 * what a person calls it.
 */
export async function readBoundedBody({ body, headers }: Response, most: number, name: string): Promise<Buffer> {
  const tooLarge = new Fault("too-large", `${name} has more than ${sizeText(most)}.`);
  if (Number(headers.get("content-length")) > most) {
    await body?.cancel();
    throw tooLarge;
  }
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body ?? []) {
    bytes += piece.length;
    if (bytes > most) throw tooLarge;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
