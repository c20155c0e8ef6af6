import { isExactNumber } from "./exact-number.ts";

/** About how many characters of JSON a value has, without producing them: results can be megabytes. */
export function approximateJsonSize(value: unknown): number {
  return sizeOf(value, 0);
}

/** The sizes of values that took long to read, so that none of them is measured again. */
const largeSizes = new WeakMap<object, number>();
/** Most processes never read one. */
let isAnyLarge = false;

export function noteLarge(value: object, size: number): void {
  isAnyLarge = true;
  largeSizes.set(value, size);
}

export function isNotedLarge(value: object): boolean {
  return isAnyLarge && largeSizes.has(value);
}

/** A server may nest deeper than a function can call itself. */
const deepest = 100;

function sizeOf(value: unknown, depth: number): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value !== "object" || value === null) return 4;
  if (isExactNumber(value)) return value.rawJSON.length;
  const known = isAnyLarge ? largeSizes.get(value) : undefined;
  if (known !== undefined) return known;
  if (depth === deepest) return sizeOfDeep(value);
  if (Array.isArray(value)) {
    let size = 2 + value.length;
    for (const item of value) size += sizeOf(item, depth + 1);
    return size;
  }
  let size = 2;
  for (const key in value) size += key.length + 4 + sizeOf((value as Record<string, unknown>)[key], depth + 1);
  return size;
}

function sizeOfDeep(value: object): number {
  let size = 0;
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== "object" || next === null || isExactNumber(next) || isNotedLarge(next)) {
      size += sizeOf(next, 0);
      continue;
    }
    size += 2;
    for (const [key, item] of Object.entries(next)) {
      size += Array.isArray(next) ? 1 : key.length + 4;
      open.push(item);
    }
  }
  return size;
}

/** Whether a value has more characters of JSON than that. Ends as soon as it does, and never on a value within itself. */
export function isJsonLonger(value: unknown, maxChars: number): boolean {
  return charsLeft(value, maxChars, 0) < 0;
}

function charsLeft(value: unknown, max: number, depth: number): number {
  if (typeof value !== "object" || value === null || isExactNumber(value) || isNotedLarge(value))
    return max - sizeOf(value, depth);
  if (depth === deepest) return max;
  let left = max - 2;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length && left >= 0; at++) left = charsLeft(value[at], left - 1, depth + 1);
    return left;
  }
  for (const key in value) {
    if (left < 0) break;
    left = charsLeft((value as Record<string, unknown>)[key], left - key.length - 4, depth + 1);
  }
  return left;
}

/** Whether the JSON of a value has more bytes of UTF-8 than that. What it escapes is not counted. */
export function isJsonLarger(value: unknown, maxBytes: number): boolean {
  const size = approximateJsonSize(value);
  // A character has at most 3 bytes, and a number may have more than the four characters that are assumed.
  return size > maxBytes || (size * 6 > maxBytes && measureBytes(value, maxBytes) > maxBytes);
}

/** Ends early beyond `max`. */
function measureBytes(value: unknown, max: number): number {
  let bytes = 0;
  const open: unknown[] = [value];
  while (open.length > 0 && bytes <= max) {
    const next = open.pop();
    if (typeof next === "string") bytes += Buffer.byteLength(next) + 2;
    else if (isExactNumber(next)) bytes += next.rawJSON.length;
    else if (typeof next !== "object" || next === null) bytes += String(next).length;
    else
      for (const [key, item] of Object.entries(next)) {
        bytes += Array.isArray(next) ? 1 : Buffer.byteLength(key) + 4;
        open.push(item);
      }
  }
  return bytes;
}
