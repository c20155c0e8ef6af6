import { Fault } from "../../../core/fault.ts";
import type { OpenedResult } from "./result-store.ts";

/** A part of a kept text. `end` is where the next part begins. */
export interface TextPart {
  readonly text: string;
  readonly offset: number;
  readonly end: number;
}

export interface LinePart extends TextPart {
  readonly firstLine: number;
  readonly lastLine: number;
  /** Whether the last line goes on after `end`. */
  readonly isCut: boolean;
}

const chunkBytes = 262_144;
const lineFeed = 10;

/** The bytes from `offset`, without the characters that are cut at either end; at least one character. */
export async function readBytes(result: OpenedResult, offset: number, length: number): Promise<TextPart> {
  checkOffset(result, offset);
  // Enough for one whole character, wherever in one it begins.
  const bytes = await result.read(offset, Math.max(length, 2 * maxCharacterBytes));
  const from = firstCharacter(bytes);
  const least = from + characterLength(bytes[from] ?? 0);
  const until = Math.min(bytes.length, Math.max(endOfCharacters(bytes.subarray(0, length)), least));
  return { text: bytes.toString("utf8", from, until), offset: offset + from, end: offset + until };
}

/** What lies behind the end is refused before anything is counted up to there. */
export function checkOffset({ bytes }: OpenedResult, offset: number): void {
  if (offset > bytes)
    throw new Fault("bad-params", `"offset" must be at most ${bytes}, the size of the result in bytes.`);
}

/** These lines, as many of them as fit. */
export async function readTextLines(
  result: OpenedResult,
  firstLine: number,
  lastLine: number,
  maxBytes: number,
): Promise<LinePart> {
  if (firstLine > result.lines)
    throw new Fault("bad-params", `"fromLine" must be at most ${result.lines}, the number of lines.`);
  const offset = await offsetOfLine(result, firstLine);
  const bytes = await result.read(offset, maxBytes);
  const isEnd = offset + bytes.length >= result.bytes;
  let [end, line] = [0, firstLine - 1];
  while (line < lastLine) {
    const next = bytes.indexOf(lineFeed, end);
    if (next === -1) break;
    end = next + 1;
    line++;
  }
  const isCut = line < firstLine && !isEnd;
  // The last line of a text may have no line feed; one that does not fit is cut.
  if (line < lastLine && (isEnd ? end < bytes.length : isCut)) {
    end = isEnd ? bytes.length : endOfCharacters(bytes);
    line++;
  }
  return { text: bytes.toString("utf8", 0, end), offset, end: offset + end, firstLine, lastLine: line, isCut };
}

async function offsetOfLine(result: OpenedResult, line: number): Promise<number> {
  let before = 1;
  for (let offset = 0; before < line; offset += chunkBytes) {
    const bytes = await result.read(offset, chunkBytes);
    if (bytes.length === 0) return result.bytes;
    for (let at = bytes.indexOf(lineFeed); at !== -1; at = bytes.indexOf(lineFeed, at + 1))
      if (++before === line) return offset + at + 1;
  }
  return 0;
}

/** The number of the line that has the byte at this offset. */
export async function lineAt(result: OpenedResult, offset: number): Promise<number> {
  let line = 1;
  for (let start = 0; start < offset; start += chunkBytes) {
    const bytes = await result.read(start, Math.min(chunkBytes, offset - start));
    for (let at = bytes.indexOf(lineFeed); at !== -1; at = bytes.indexOf(lineFeed, at + 1)) line++;
  }
  return line;
}

/** In bytes of UTF-8. */
const maxCharacterBytes = 4;

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

function firstCharacter(bytes: Buffer): number {
  let at = 0;
  while (at < maxCharacterBytes && isContinuation(bytes[at])) at++;
  return at;
}

/** Where the last whole character ends. */
export function endOfCharacters(bytes: Buffer): number {
  let start = bytes.length - 1;
  while (start > bytes.length - maxCharacterBytes && isContinuation(bytes[start])) start--;
  return start + characterLength(bytes[start] ?? 0) > bytes.length ? Math.max(start, 0) : bytes.length;
}

/** By its first byte. */
function characterLength(lead: number): number {
  return lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
}
