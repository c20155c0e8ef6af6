import { Fault } from "../core/fault.ts";

/** Many clients never ask for a second page, so a page holds more than anybody has. */
const pageSize = 10_000;

/** One page of a list under its name, with the way to the next one. */
export function pageOf(name: string, items: readonly unknown[], cursor: unknown): object {
  const start = startOf(cursor, items.length);
  if (start === 0 && items.length <= pageSize) return { [name]: items };
  const end = start + pageSize;
  return { [name]: items.slice(start, end), ...(end < items.length ? { nextCursor: `from-${end}` } : {}) };
}

function startOf(cursor: unknown, length: number): number {
  if (cursor === undefined) return 0;
  const start = typeof cursor === "string" ? Number(/^from-(\d{1,9})$/.exec(cursor)?.[1] ?? "none") : Number.NaN;
  if (!(start <= length)) throw new Fault("bad-params", "This cursor is not from here. List again without one.");
  return start;
}
