import { createReadStream } from "node:fs";
import { open, readFile, writeFile } from "node:fs/promises";
import type { SpilledText } from "../../../core/json-bytes.ts";
import { sampleBytes } from "./media-family.ts";

/** A base64 text that came with an order: in memory where it is short, else in a file that lives as long as the order. */
export interface Base64Text {
  /** In characters. */
  readonly length: number;
  /** Its last two characters: with the length they tell how much is inside, before any of it is read. */
  readonly ending: string;
  pieces(): AsyncIterable<Buffer>;
  text(): Promise<string>;
}

export function base64InMemory(text: string): Base64Text {
  const bytes = Buffer.from(text);
  return {
    length: bytes.length,
    ending: text.slice(-2),
    async *pieces() {
      yield bytes;
    },
    text: () => Promise.resolve(text),
  };
}

export async function base64InFile({ path, bytes, isEscaped }: SpilledText): Promise<Base64Text> {
  // Some encoders write `/` and `+` as escapes.
  const length = isEscaped ? await unescapeInPlace(path) : bytes;
  return {
    length,
    ending: await readEnding(path, length),
    pieces: () => createReadStream(path, { highWaterMark: 256 * 1024 }),
    text: () => readFile(path, "latin1"),
  };
}

async function readEnding(path: string, length: number): Promise<string> {
  await using file = await open(path);
  const { buffer } = await file.read(Buffer.alloc(2), 0, 2, Math.max(0, length - 2));
  return buffer.toString("latin1");
}

/** A text of the order that is no media, from wherever it is. */
export async function readSpilledText({ path }: SpilledText): Promise<string> {
  const text: unknown = JSON.parse(`"${await readFile(path, "utf8")}"`);
  return String(text);
}

async function unescapeInPlace(path: string): Promise<number> {
  const bytes = Buffer.from(await readSpilledText({ path, bytes: 0, isEscaped: true }));
  await writeFile(path, bytes, { mode: 0o600 });
  return bytes.length;
}

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
export async function judgeBase64(data: Base64Text): Promise<Base64Verdict> {
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
export function decodedBytes({ length, ending }: Base64Text): number {
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
