import { RE2JS } from "re2js";
import { Fault, messageOf } from "../../../core/fault.ts";
import { createTurns } from "../../../core/slices/in-slices.ts";
import { checkOffset, endOfCharacters, lineAt } from "./read-text.ts";
import type { OpenedResult } from "./result-store.ts";

export interface TextSearch {
  /** One of the two. */
  readonly query?: string | undefined;
  readonly pattern?: string | undefined;
  readonly caseSensitive: boolean;
  /** Lines shown before and after a match. */
  readonly context: number;
  readonly limit: number;
  /** Where to begin, in bytes. */
  readonly offset: number;
  /** The most bytes that the found lines may have together. */
  readonly maxBytes: number;
}

export interface FoundText {
  /** As `grep -n` prints them: `12: a match`, `11- a line before it`. */
  readonly text: string;
  readonly matches: number;
  /** Where to go on, if not everything was searched. */
  readonly next: number | undefined;
  readonly isOutOfTime: boolean;
}

const chunkBytes = 65_536;
/** Longer lines are searched in pieces: what a pattern costs at once is its size times that of a piece. */
const pieceBytes = 8192;
/** What two pieces share, so that a match between them is found. */
const overlapBytes = 1024;
const maxShownLength = 500;
const aroundMatch = 150;
/** RE2 takes one step for each instruction and character, so this bounds the work. */
const maxInstructions = 200;
const maxSearchMs = 5000;

/** A line, or a piece of a long one. */
interface Piece {
  readonly line: number;
  readonly offset: number;
  readonly text: string;
  readonly isWhole: boolean;
}

/** Finds a text or a pattern in a kept text, in time that is linear in both, without blocking the process. */
export async function searchText(result: OpenedResult, search: TextSearch, signal: AbortSignal): Promise<FoundText> {
  checkOffset(result, search.offset);
  const pattern = compile(search);
  const output = createOutput(search);
  const turns = createTurns(signal);
  const deadline = performance.now() + maxSearchMs;
  const isOutOfTime = () => performance.now() > deadline;
  let foundUntil = search.offset;
  for await (const pieces of piecesOf(result, search.offset)) {
    for (const piece of pieces) {
      // Most lines have no match, and this alone needs no more than one pass.
      if (!pattern.test(piece.text)) output.passed(piece);
      else {
        const next = await show(piece);
        if (next !== undefined) return output.end(next, false);
      }
      if (turns.isOver()) await turns.next();
      if (isOutOfTime()) return output.end(Math.max(piece.offset, foundUntil), true);
    }
  }
  return output.end(undefined, false);

  /** Where to go on, if a match does not fit any more. Finding the next match may take as long as passing the piece. */
  async function show(piece: Piece): Promise<number | undefined> {
    const matcher = pattern.matcher(piece.text);
    // A short line is shown whole, whatever number of matches it has.
    const isShort = piece.isWhole && piece.text.length <= maxShownLength;
    const offsetAt = (position: number) => piece.offset + Buffer.byteLength(piece.text.slice(0, position));
    for (let from = 0; from <= piece.text.length && !isOutOfTime() && matcher.find(from);) {
      if (turns.isOver()) await turns.next();
      const [start, at] = [matcher.start(), offsetAt(matcher.start())];
      from = Math.max(matcher.end(), start + 1);
      if (at < foundUntil) continue;
      if (!output.match(piece, isShort, start, at)) return isShort ? piece.offset : at;
      foundUntil = offsetAt(from);
      if (isShort) return undefined;
    }
    return undefined;
  }
}

function compile({ query, pattern, caseSensitive }: TextSearch): RE2JS {
  if ((query ?? pattern)?.includes("\n")) {
    const kind = query === undefined ? "pattern" : "query";
    throw new Fault(
      "bad-params",
      `"${kind}" must not contain a line break: lines are searched one by one. Search for one line, and read on from there.`,
    );
  }
  const flags = caseSensitive ? 0 : RE2JS.CASE_INSENSITIVE;
  if (query !== undefined) return RE2JS.compile(RE2JS.quote(query), flags);
  try {
    const compiled = RE2JS.compile(pattern ?? "", flags);
    if (compiled.programSize() <= maxInstructions) return compiled;
  } catch (error) {
    // The flag is ours.
    const why = messageOf(error).replace("error parsing regexp: ", "").replace("`(?i)", "`").slice(0, 200);
    throw new Fault(
      "bad-params",
      `"pattern" is not valid: ${why}. It must be a regular expression of RE2, without lookaround and backreferences.`,
    );
  }
  throw new Fault("bad-params", '"pattern" is too large. Use a shorter one, with smaller repeat counts.');
}

/** Collects what is shown, up to its limits. */
function createOutput({ context, limit, maxBytes }: TextSearch) {
  const shown: string[] = [];
  let [bytes, matches, lastLine, after] = [0, 0, 0, 0];
  let before: Piece[] = [];

  function add(line: number, text: string): void {
    if (lastLine !== 0 && line > lastLine + 1) shown.push("--");
    shown.push(text);
    bytes += Buffer.byteLength(text) + 4;
    lastLine = line;
  }

  return {
    /** Returns false if it does not fit any more. */
    match(piece: Piece, isShort: boolean, start: number, at: number): boolean {
      if (matches === limit) return false;
      const { line, text } = piece;
      const own = isShort ? `${line}: ${text}` : `${line} (offset ${at}): ${excerpt(text, start)}`;
      const lines = before.map((each) => [each.line, `${each.line}- ${clipped(each.text)}`] as const);
      const size = [own, ...lines.map(([, each]) => each)].reduce((sum, each) => sum + Buffer.byteLength(each) + 8, 0);
      if (bytes + size > maxBytes) return false;
      for (const [number, each] of lines) add(number, each);
      add(line, own);
      before = [];
      after = context;
      matches++;
      return true;
    },
    /** A line without a match. */
    passed(piece: Piece): void {
      if (context === 0 || !piece.isWhole) return;
      const text = after > 0 ? `${piece.line}- ${clipped(piece.text)}` : "";
      if (after > 0 && bytes + Buffer.byteLength(text) + 8 <= maxBytes) {
        after--;
        add(piece.line, text);
      } else {
        after = 0;
        if (before.push(piece) > context) before.shift();
      }
    },
    end: (next: number | undefined, isOutOfTime: boolean): FoundText => ({
      text: shown.join("\n"),
      matches,
      next,
      isOutOfTime,
    }),
  };
}

function clipped(text: string): string {
  return text.length > maxShownLength ? `${text.slice(0, maxShownLength).toWellFormed()}…` : text;
}

function excerpt(text: string, start: number): string {
  const [from, until] = [Math.max(0, start - aroundMatch), Math.min(text.length, start + 2 * aroundMatch)];
  return `${from > 0 ? "…" : ""}${text.slice(from, until).toWellFormed()}${until < text.length ? "…" : ""}`;
}

/** The pieces of one chunk after the other. */
async function* piecesOf(result: OpenedResult, from: number): AsyncGenerator<readonly Piece[]> {
  let line = await lineAt(result, from);
  /** What follows the last piece, and where it begins. */
  let rest: Buffer = Buffer.alloc(0);
  let offset = from;
  let isLineStart = true;
  for (let position = from; ; position += chunkBytes) {
    const chunk = await result.read(position, chunkBytes);
    const isEnd = position + chunk.length >= result.bytes;
    let bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const pieces: Piece[] = [];
    while (bytes.length > 0) {
      const feed = bytes.subarray(0, pieceBytes).indexOf(10);
      const isLast = isEnd && bytes.length <= pieceBytes;
      if (feed === -1 && !isLast && bytes.length < pieceBytes) break;
      const isLineEnd = feed !== -1 || isLast;
      const length = feed !== -1 ? feed : isLast ? bytes.length : endOfCharacters(bytes.subarray(0, pieceBytes));
      const text = bytes.toString("utf8", 0, length).replace(/\r$/, "");
      pieces.push({ line, offset, text, isWhole: isLineStart && isLineEnd });
      const used = isLineEnd ? length + (feed === -1 ? 0 : 1) : nextStart(bytes, length - overlapBytes);
      bytes = bytes.subarray(used);
      offset += used;
      isLineStart = isLineEnd;
      if (feed !== -1) line++;
    }
    yield pieces;
    rest = bytes;
    if (isEnd) return;
  }
}

/** The beginning of a character at `at` or before. */
function nextStart(bytes: Buffer, at: number): number {
  let start = at;
  while (start > 0 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start--;
  return start;
}
