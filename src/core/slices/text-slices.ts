import { StringDecoder } from "node:string_decoder";
import { type SlicedWork, sliceChars } from "./in-slices.ts";

/** The text in pieces. No character is cut in two. */
export function* slicesOf(text: string, maxChars = sliceChars): Generator<string, void, undefined> {
  for (let at = 0; at < text.length;) {
    const end = at + maxChars;
    const isPair = (text.charCodeAt(end - 1) & 0xfc00) === 0xd800;
    yield text.slice(at, isPair ? end + 1 : end);
    at = isPair ? end + 1 : end;
  }
}

/** As `Buffer.concat(parts).toString("utf8")`. */
export function* decodeInSlices(parts: readonly Buffer[]): SlicedWork<string> {
  const decoder = new StringDecoder("utf8");
  const pieces: string[] = [];
  for (const part of parts) {
    pieces.push(decoder.write(part));
    yield;
  }
  return pieces.join("") + decoder.end();
}
