import { isDeepStrictEqual } from "node:util";
import type { Config } from "../../core/config/config-schema.ts";
import { isRecord } from "../../core/is-record.ts";

/**
 * What an edit of the configuration changed, as paths: `added servers.files`, `changed servers.github.timeout`. Never a value:
 * it could be a secret.
 */
export function describeEdit(before: Config, after: Config): readonly string[] {
  const { servers: oldServers, ...oldRest } = before;
  const { servers: newServers, ...newRest } = after;
  const all = [...compare("servers", oldServers, newServers, 2), ...compare("", oldRest, newRest, 2)];
  return all.length <= mostChanges ? all : [...all.slice(0, mostChanges), `and ${all.length - mostChanges} more`];
}

const mostChanges = 20;

/** `depth` is how many levels are compared by name; below that a value is the same or changed. */
function compare(path: string, before: unknown, after: unknown, depth: number): readonly string[] {
  if (isDeepStrictEqual(before, after)) return [];
  if (before === undefined) return [`added ${path}`];
  if (after === undefined) return [`removed ${path}`];
  if (depth === 0 || !isRecord(before) || !isRecord(after)) return [`changed ${path}`];
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return keys.flatMap((key) => compare(path === "" ? key : `${path}.${key}`, before[key], after[key], depth - 1));
}
