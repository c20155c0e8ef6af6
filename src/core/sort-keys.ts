import { isRecord } from "./is-record.ts";

/** For `JSON.stringify`: the same text for the same value, in whatever order its keys came. */
export function sortKeys(_key: string, value: unknown): unknown {
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
