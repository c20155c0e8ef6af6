import { createReadStream } from "node:fs";
import { open, readFile, writeFile } from "node:fs/promises";
import type { SpilledText } from "../../../core/json-bytes.ts";
import { sampleBytes } from "./media-family.ts";

/**
 * A base64 text of an order without the line breaks it may have come with: in memory if it is short, else in a file that
 * exists as long as the order runs.
 */
export interface Base64Text {
  /** In characters. */
  readonly length: number;
  /** Its last two characters: with the length they give the decoded size without reading the text. */
  readonly ending: string;
  chunks(): AsyncIterable<Buffer>;
  text(): Promise<string>;
}

export function base64InMemory(given: string): Base64Text {
  const text = withoutLineBreaks(given);
  const bytes = Buffer.from(text);
  return {
    length: bytes.length,
    ending: text.slice(-2),
    async *chunks() {
      yield bytes;
    },
    text: () => Promise.resolve(text),
  };
}

export async function base64InFile({ path, bytes, isEscaped }: SpilledText): Promise<Base64Text> {
  // Some encoders write `/` and `+` as escapes, and JSON has no line breaks but escaped ones.
  const length = isEscaped ? await unescapeInPlace(path) : bytes;
  return {
    length,
    ending: await readEnding(path, length),
    chunks: () => createReadStream(path, { highWaterMark: 256 * 1024 }),
    text: () => readFile(path, "latin1"),
  };
}

async function readEnding(path: string, length: number): Promise<string> {
  await using file = await open(path);
  const { buffer } = await file.read(Buffer.alloc(2), 0, 2, Math.max(0, length - 2));
  return buffer.toString("latin1");
}

/** A text of the order that was written to a file, such as a long message. */
export async function readSpilledText({ path }: SpilledText): Promise<string> {
  const text: unknown = JSON.parse(`"${await readFile(path, "utf8")}"`);
  return String(text);
}

async function unescapeInPlace(path: string): Promise<number> {
  const bytes = Buffer.from(withoutLineBreaks(await readSpilledText({ path, bytes: 0, isEscaped: true })));
  await writeFile(path, bytes, { mode: 0o600 });
  return bytes.length;
}

/**
 * MIME and PEM wrap base64 into lines, which may be indented. A blank elsewhere is no such thing: often it was a `+` that
 * some decoder took for one.
 */
function withoutLineBreaks(text: string): string {
  return /[\r\n]/.test(text) ? text.replaceAll(/[ \t]*[\r\n][ \t\r\n]*/g, "") : text;
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const alphabetValues = new Int8Array(256).fill(-1);
for (let value = 0; value < alphabet.length; value++) alphabetValues[alphabet.charCodeAt(value)] = value;
const paddingByte = 61;
const sampleCharacters = Math.ceil(sampleBytes / 3) * 4;

export type Base64Verdict =
  | { readonly pass: true; readonly sample: Buffer }
  | { readonly pass: false; readonly reason: string };

/**
 * Accepts only base64 as in RFC 4648 §4: no URL alphabet, padded, unused bits zero (§3.5). Lenient decoders differ in what
 * they read, and others must see the same content that was checked here.
 */
export async function judgeBase64(data: Base64Text): Promise<Base64Verdict> {
  if (data.length % 4 !== 0) return invalid(`its length, ${data.length}, is not a multiple of 4`);
  const paddingFrom = data.length - 2;
  const firstChunks: Buffer[] = [];
  let sampled = 0;
  let at = 0;
  let paddings = 0;
  let last = 0;
  for await (const chunk of data.chunks()) {
    if (sampled < sampleCharacters) {
      firstChunks.push(chunk.subarray(0, sampleCharacters - sampled));
      sampled += chunk.length;
    }
    for (let index = 0; index < chunk.length; index++) {
      const byte = chunk[index]!;
      const value = alphabetValues[byte]!;
      if (value >= 0 && paddings === 0) last = value;
      else if (byte === paddingByte && at + index >= paddingFrom) paddings++;
      else return invalid(`character ${at + index + 1} is ${describeByte(byte, paddings > 0)}`);
    }
    at += chunk.length;
  }
  if ((paddings === 1 && (last & 3) !== 0) || (paddings === 2 && (last & 15) !== 0))
    return invalid("its last character has unused bits that are not zero");
  const sample = Buffer.from(Buffer.concat(firstChunks).toString("latin1"), "base64");
  return { pass: true, sample: sample.subarray(0, sampleBytes) };
}

/** The size of the decoded content. */
export function decodedBytes({ length, ending }: Base64Text): number {
  return Math.floor(length / 4) * 3 - (ending === "==" ? 2 : ending.endsWith("=") ? 1 : 0);
}

function describeByte(byte: number, afterPadding: boolean): string {
  if (afterPadding) return "after the padding";
  if (byte === 10 || byte === 13 || byte === 32 || byte === 9) return "white space";
  return byte > 32 && byte < 127 ? JSON.stringify(String.fromCharCode(byte)) : `the byte ${byte}`;
}

function invalid(reason: string): Base64Verdict {
  return { pass: false, reason };
}
