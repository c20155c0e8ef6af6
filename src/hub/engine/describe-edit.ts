import { isDeepStrictEqual } from "node:util";
import type { Config } from "../../core/config/config-schema.ts";
import { asRecord, isRecord } from "../../core/is-record.ts";

/**
 * What an edit of the configuration changed, as paths: `added servers.files`, `changed servers.github.timeout`. Never a value:
 * it could be a secret.
 */
export function describeEdit(before: Config, after: Config): readonly string[] {
  const { servers: oldServers, ...oldRest } = before;
  const { servers: newServers, ...newRest } = after;
  const all = [...compare("servers", oldServers, newServers, 2), ...compare("", oldRest, newRest, 2)];
  return all.length <= maxChanges ? all : [...all.slice(0, maxChanges), `and ${all.length - maxChanges} more`];
}

const maxChanges = 20;

/** `depth` is how many levels are compared by name; below that a value is the same or changed. */
function compare(path: string, before: unknown, after: unknown, depth: number): readonly string[] {
  if (isDeepStrictEqual(before, after)) return [];
  if (before === undefined) return [`added ${path}`];
  if (after === undefined) return [`removed ${path}`];
  if (depth === 0 || !isRecord(before) || !isRecord(after)) return [`changed ${path}`];
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return keys.flatMap((key) => compare(path === "" ? key : `${path}.${key}`, before[key], after[key], depth - 1));
}

/** What is read only at the start. Everything else counts at once. */
export const readAtStart: readonly string[] = [
  "hub.host",
  "hub.port",
  "hub.allowRemote",
  "hub.publicUrl",
  "hub.maxConcurrent",
  "hub.maxBodyBytes",
  "hub.toolNames",
  "catalog.embeddings",
  "audit",
  "results",
  "scripts",
  "agent",
  "apps",
  "machine.enableMcpServer",
  "toolDiscoveryInterval",
  "maxConcurrentServers",
];

/** Which of them an edit changed: they take effect after a restart. A hub serves MCP whatever the switch of a node says. */
export function findRestartKeys(before: Config, after: Config, host: "hub" | "node"): readonly string[] {
  const keys = host === "node" ? readAtStart : readAtStart.filter((key) => key !== "machine.enableMcpServer");
  return keys.filter((key) => !isDeepStrictEqual(valueAt(before, key), valueAt(after, key)));
}

export function valueAt(config: Config, path: string): unknown {
  return path.split(".").reduce<unknown>((value, key) => asRecord(value)[key], config);
}
