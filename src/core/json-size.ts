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
