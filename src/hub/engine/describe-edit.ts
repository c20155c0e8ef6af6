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

/** What is read only at the start. */
export const readAtStart = [
  "hub",
  "audit",
  "results",
  "agent",
  "apps",
  "machine",
  "toolDiscoveryInterval",
  "maxConcurrentServers",
] as const satisfies readonly (keyof Config)[];

/** Which of them an edit changed: they take effect after a restart. */
export function findRestartKeys(before: Config, after: Config): readonly string[] {
  return readAtStart.filter((key) => JSON.stringify(atStart(before, key)) !== JSON.stringify(atStart(after, key)));
}

/** The part of a section that is read only at the start. */
function atStart(config: Config, key: (typeof readAtStart)[number]): unknown {
  if (key !== "hub") return config[key];
  const { surface: _surface, always: _always, ...others } = config.hub;
  return others;
}
