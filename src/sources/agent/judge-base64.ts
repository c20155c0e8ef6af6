import { sampleBytes } from "./media-family.ts";
import type { MediaData } from "./media-data.ts";

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const values = new Int8Array(256).fill(-1);
for (let value = 0; value < alphabet.length; value++) values[alphabet.charCodeAt(value)] = value;
const padding = 61;

export type Base64Verdict =
  | { readonly pass: true; readonly sample: Buffer }
  | { readonly pass: false; readonly reason: string };

/**
 * Base64 of RFC 4648 §4 and nothing else: no line breaks, no URL alphabet, padded, unused bits zero (§3.5). Decoders
 * that forgive these disagree about what they read, and what was checked here must be what others see.
 */
export async function judgeBase64(data: MediaData): Promise<Base64Verdict> {
  if (data.length % 4 !== 0) return no(`its length, ${data.length}, is no multiple of 4`);
  const paddingFrom = data.length - 2;
  const firstPieces: Buffer[] = [];
  let kept = 0;
  let at = 0;
  let paddings = 0;
  let last = 0;
  for await (const piece of data.pieces()) {
    if (kept < sampleCharacters) {
      firstPieces.push(piece.subarray(0, sampleCharacters - kept));
      kept += piece.length;
    }
    for (let index = 0; index < piece.length; index++) {
      const byte = piece[index]!;
      const value = values[byte]!;
      if (value >= 0 && paddings === 0) last = value;
      else if (byte === padding && at + index >= paddingFrom) paddings++;
      else return no(`character ${at + index + 1} is ${shown(byte, paddings > 0)}`);
    }
    at += piece.length;
  }
  if ((paddings === 1 && (last & 3) !== 0) || (paddings === 2 && (last & 15) !== 0))
    return no("its last character has bits that belong to no byte");
  const sample = Buffer.from(Buffer.concat(firstPieces).toString("latin1"), "base64");
  return { pass: true, sample: sample.subarray(0, sampleBytes) };
}

const sampleCharacters = Math.ceil(sampleBytes / 3) * 4;

/** How many bytes a base64 text stands for. */
export function decodedBytes({ length, ending }: MediaData): number {
  return Math.floor(length / 4) * 3 - (ending === "==" ? 2 : ending.endsWith("=") ? 1 : 0);
}

function shown(byte: number, afterPadding: boolean): string {
  if (afterPadding) return "behind the padding";
  if (byte === 10 || byte === 13 || byte === 32 || byte === 9) return "white space";
  return byte > 32 && byte < 127 ? JSON.stringify(String.fromCharCode(byte)) : `the byte ${byte}`;
}

function no(reason: string): Base64Verdict {
  return { pass: false, reason };
}
