import { createReadStream } from "node:fs";
import { open, readFile, writeFile } from "node:fs/promises";
import type { SpilledText } from "../../mcp/json-spiller.ts";

/** A base64 text that came with an order: in memory where it is short, else in a file that lives as long as the order. */
export interface MediaData {
  /** In characters. */
  readonly length: number;
  /** Its last two characters: with the length they tell how much is inside, before any of it is read. */
  readonly ending: string;
  pieces(): AsyncIterable<Buffer>;
  text(): Promise<string>;
}

export function mediaInMemory(text: string): MediaData {
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

export async function mediaInFile({ path, bytes, isEscaped }: SpilledText): Promise<MediaData> {
  // Some encoders write `/` and `+` as escapes.
  const length = isEscaped ? await unescapeFile(path) : bytes;
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

async function unescapeFile(path: string): Promise<number> {
  const bytes = Buffer.from(await readSpilledText({ path, bytes: 0, isEscaped: true }));
  await writeFile(path, bytes, { mode: 0o600 });
  return bytes.length;
}
