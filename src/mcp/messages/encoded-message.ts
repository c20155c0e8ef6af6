import { isJsonLonger } from "../../core/json-size.ts";
import { createTurns, maxAtOnce } from "../../core/slices/in-slices.ts";
import { slicesOf } from "../../core/slices/text-slices.ts";
import { writeJsonInSlices } from "../../core/slices/write-json.ts";
import { encodeMessage, type JsonRpcResult, type JsonRpcResponse, notJson } from "./json-rpc.ts";
import { largeResponseParts } from "./result-text.ts";

/** A message that was too large to be encoded at once. */
export interface EncodedMessage {
  readonly pieces: readonly Buffer[];
  readonly bytes: number;
  /** In characters, as that of a string. */
  readonly length: number;
  toString(): string;
}

export function isTooLargeAtOnce(message: JsonRpcResponse): message is JsonRpcResult {
  return "result" in message && isJsonLonger(message.result, maxAtOnce);
}

/** As `encodeMessage`, in slices. Undefined if it is no longer wanted. */
export async function encodeInSlices(
  message: JsonRpcResult,
  isWanted: () => boolean,
): Promise<EncodedMessage | undefined> {
  const turns = createTurns();
  const pieces: Buffer[] = [];
  let [bytes, length] = [0, 0];
  const add = (text: string): void => {
    const piece = Buffer.from(text);
    pieces.push(piece);
    bytes += piece.length;
    length += text.length;
  };
  try {
    const text = largeResponseParts(message.id, message.result)?.join("");
    for (const piece of text === undefined ? writeJsonInSlices(message) : slicesOf(text)) {
      add(piece);
      if (turns.isOver()) await turns.next();
      if (!isWanted()) return undefined;
    }
  } catch (cause) {
    pieces.length = bytes = length = 0;
    add(encodeMessage(notJson(message.id, cause)));
  }
  return { pieces, bytes, length, toString: () => Buffer.concat(pieces).toString("utf8") };
}
