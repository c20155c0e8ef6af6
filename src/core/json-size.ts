/** About how many characters of JSON a value has, without producing them: results can be megabytes. */
export function approximateJsonSize(value: unknown): number {
  let size = 0;
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === "string") size += next.length + 2;
    else if (typeof next !== "object" || next === null) size += 4;
    else if (Array.isArray(next)) {
      size += 2 + next.length;
      for (const item of next) open.push(item);
    } else {
      size += 2;
      for (const key in next) {
        size += key.length + 4;
        open.push((next as Record<string, unknown>)[key]);
      }
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
    else if (typeof next !== "object" || next === null) bytes += String(next).length;
    else
      for (const [key, item] of Object.entries(next)) {
        bytes += Array.isArray(next) ? 1 : Buffer.byteLength(key) + 4;
        open.push(item);
      }
  }
  return bytes;
}
