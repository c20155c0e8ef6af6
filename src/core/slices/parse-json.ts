import { approximateJsonSize, noteLarge } from "../json-size.ts";
import { parseJson } from "../json.ts";
import { type SlicedWork, sliceChars } from "./in-slices.ts";

const [quote, backslash, comma, openArray, openObject, closeArray, closeObject] = [34, 92, 44, 91, 123, 93, 125];

/** A container that is too large to be parsed at once. */
interface Large {
  readonly value: unknown[] | Record<string, unknown>;
  /** Its name in the object around it. */
  readonly key: string;
  size: number;
}

/**
 * As `parseJson` for an object or an array, in slices. A container that is longer than a slice is taken apart: its items
 * are parsed together as far as they fit into a slice, and a string that does not is parsed in pieces. The size of such a
 * container is noted, so that it need not be measured again.
 */
export function* parseJsonInSlices(text: string, maxChars = sliceChars): SlicedWork<unknown> {
  /** Where each open container begins, and where its last comma is. The outer ones are large. */
  const starts: number[] = [];
  const commas: number[] = [];
  const large: Large[] = [];
  /** Where the part of the innermost large container begins that is not parsed yet, and what is right before it. */
  let from = 0;
  let before = "bracket" as "bracket" | "comma" | "value";

  for (let at = 0; ; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      const plain = endOfPlainString(text, at);
      const end = plain === -1 ? yield* endOfString(text, at) : plain;
      if (end - at > maxChars) yield* takeString(at, end);
      at = end;
    } else if (code === openArray || code === openObject) {
      starts.push(at);
      commas.push(-1);
      if (large.length === 0) openLarge();
    } else if (code === closeArray || code === closeObject) {
      const closed = starts.length === large.length ? closeLarge(at) : undefined;
      starts.pop();
      commas.pop();
      if (closed && large.length === 0) {
        requireBlank(at + 1, text.length);
        return closed.value;
      }
      if (closed) yield;
    } else if (code === comma) {
      commas[commas.length - 1] = at;
      if (before === "value" && starts.length === large.length) takeItems();
    } else if (at >= text.length) throw new SyntaxError("The JSON text has no end.");
    while (at - from > maxChars && large.length > 0) {
      const isTaken = takeItems();
      if (isTaken) yield;
      if (at - from <= maxChars || (!isTaken && starts.length === large.length)) break;
      if (starts.length > large.length) openLarge();
    }
  }

  /** The outermost container that is open and not large becomes large. */
  function openLarge(): void {
    const start = starts[large.length]!;
    const key = large.length === 0 ? (requireBlank(0, start), "") : keyBefore(start);
    large.push({ value: text.charCodeAt(start) === openArray ? [] : {}, key, size: 2 });
    from = start + 1;
    before = "bracket";
  }

  function closeLarge(at: number): Large {
    const closed = large.at(-1);
    if (!closed) throw new SyntaxError("Not an object or an array.");
    if (Array.isArray(closed.value) !== (text.charCodeAt(at) === closeArray)) throw new SyntaxError("Wrong bracket.");
    if (before === "value" || (before === "bracket" && isBlank(from, at))) requireBlank(from, at);
    else takePart(at);
    large.pop();
    noteLarge(closed.value, closed.size);
    if (large.length > 0) add(closed.key, closed.value, closed.size);
    from = at + 1;
    before = "value";
    return closed;
  }

  /** Parses the items of the innermost large container that are complete. Returns whether there were any. */
  function takeItems(): boolean {
    const end = commas[large.length - 1]!;
    if (end < from) return false;
    if (before === "value") requireBlank(from, end);
    else takePart(end);
    from = end + 1;
    before = "comma";
    return true;
  }

  function takePart(end: number): void {
    if (isBlank(from, end)) throw new SyntaxError("A value is missing.");
    const { value } = large.at(-1)!;
    const part = parseJson(inBrackets(text.slice(from, end)));
    large.at(-1)!.size += approximateJsonSize(part) - 2;
    if (Array.isArray(value)) for (const item of part as unknown[]) value.push(item);
    else for (const [key, item] of Object.entries(part as object)) define(value, key, item);
  }

  /** Takes a long string as a value by itself. A long name is left to the parser. */
  function* takeString(start: number, end: number): SlicedWork<void> {
    if (large.length === 0) throw new SyntaxError("Not an object or an array.");
    for (takeItems(); starts.length > large.length; takeItems()) openLarge();
    if (!Array.isArray(large.at(-1)!.value) && isBlank(from, start)) return;
    const key = keyBefore(start);
    const pieces: string[] = [];
    for (let at = start + 1; at < end;) {
      const until = Math.min(endOfPiece(text, at, at + maxChars), end);
      pieces.push(JSON.parse(`"${text.slice(at, until)}"`) as string);
      at = until;
      yield;
    }
    const value = pieces.join("");
    add(key, value, value.length + 2);
    from = end + 1;
    before = "value";
  }

  /** The name of the value that begins here. Only the name, if any, may be between it and what is parsed already. */
  function keyBefore(start: number): string {
    if (before === "value") throw new SyntaxError("A comma is missing.");
    return Object.keys(JSON.parse(inBrackets(`${text.slice(from, start)}null`)) as object)[0]!;
  }

  function add(key: string, item: unknown, size: number): void {
    const around = large.at(-1)!;
    if (Array.isArray(around.value)) around.value.push(item);
    else define(around.value, key, item);
    around.size += size + (Array.isArray(around.value) ? 1 : key.length + 4);
  }

  function inBrackets(items: string): string {
    return Array.isArray(large.at(-1)!.value) ? `[${items}]` : `{${items}}`;
  }

  function isBlank(start: number, end: number): boolean {
    blank.lastIndex = start;
    return blank.test(text) && blank.lastIndex >= end;
  }

  function requireBlank(start: number, end: number): void {
    if (!isBlank(start, end)) throw new SyntaxError("Unexpected text.");
  }
}

const blank = /[ \t\n\r]*/y;

/** As `JSON.parse` does it: to assign `__proto__` would change what the object inherits. */
function define(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== "__proto__") object[key] = value;
  else Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
}

/** Where the string that begins here ends; at the end of the text if it does not. */
export function* endOfString(text: string, start: number): SlicedWork<number> {
  for (let end = text.indexOf('"', start + 1), quotes = 1; end !== -1; end = text.indexOf('"', end + 1), quotes++) {
    if (!isEscaped(text, end, start)) return end;
    if (quotes % 4096 === 0) yield;
  }
  return text.length;
}

/** The same without a pause, for the usual string; -1 if it has an escape before its first quote. */
export function endOfPlainString(text: string, start: number): number {
  const end = text.indexOf('"', start + 1);
  return text.charCodeAt(end - 1) === backslash ? -1 : end;
}

function isEscaped(text: string, at: number, start: number): boolean {
  let slashes = 0;
  while (at - 1 - slashes > start && text.charCodeAt(at - 1 - slashes) === backslash) slashes++;
  return slashes % 2 === 1;
}

/** The first place at or after `end` that is not inside an escape, of which the longest is `\\u` with four digits. */
function endOfPiece(text: string, start: number, end: number): number {
  for (let slash = end - 1; slash > end - 6; slash--) {
    if (text.charCodeAt(slash) !== backslash) continue;
    if (isEscaped(text, slash, start - 1)) return end;
    return Math.max(end, slash + (text.charAt(slash + 1) === "u" ? 6 : 2));
  }
  return end;
}
