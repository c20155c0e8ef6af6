import type { Metrics } from "../metrics.ts";

/** Each returns how to stop watching: call it when the thing that is counted is closed. */
export function watchConnections(metrics: Metrics, door: string, count: () => number): () => void {
  const spec = { name: "clawport_connections", help: "Open connections.", labels: ["door"] } as const;
  return metrics.watch(spec, () => [[{ door }, count()]]);
}

export function watchSessions(metrics: Metrics, count: () => number): () => void {
  return metrics.watch({ name: "clawport_sessions", help: "Open MCP sessions." }, () => [[{}, count()]]);
}

export function watchQueue(metrics: Metrics, queue: string, length: () => number): () => void {
  const spec = { name: "clawport_queue_length", help: "Entries that wait.", labels: ["queue"] } as const;
  return metrics.watch(spec, () => [[{ queue }, length()]]);
}
