import { isExactNumber } from "./exact-number.ts";

/** About how many characters of JSON a value has, without producing them: results can be megabytes. */
export function approximateJsonSize(value: unknown): number {
  return sizeOf(value, 0);
}

/** A server may nest deeper than a function can call itself. */
const deepest = 100;

function sizeOf(value: unknown, depth: number): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value !== "object" || value === null) return 4;
  if (isExactNumber(value)) return value.rawJSON.length;
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
    if (typeof next !== "object" || next === null || isExactNumber(next)) {
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
