import type { Metrics } from "../metrics.ts";

/** What the connections to MCP servers tell. The calls themselves are counted where the guard lets them pass. */
export interface ServerMetrics {
  /** A connection was lost, or could not be made, and will be tried again. */
  reconnecting(server: string): void;
  /** Counts the servers by where they stand, whenever somebody looks; returns how to stop. */
  watchStates(read: () => Iterable<string>): () => void;
}

/** Shown also while no server is in them: a graph should go to zero, not end. */
const usualStates = ["queued", "connecting", "ready", "degraded", "reconnecting", "needs-sign-in"] as const;

export function createServerMetrics(metrics: Metrics): ServerMetrics {
  const reconnects = metrics.counter({
    name: "clawport_server_reconnects_total",
    help: "Times a server's connection was lost or could not be made, to be tried again.",
    labels: ["server"],
  });
  return {
    reconnecting: (server) => reconnects.inc({ server }),
    watchStates(read) {
      const spec = { name: "clawport_servers", help: "Configured servers, by state.", labels: ["state"] } as const;
      return metrics.watch(spec, () => {
        const counts = new Map<string, number>(usualStates.map((state) => [state, 0]));
        for (const state of read()) counts.set(state, (counts.get(state) ?? 0) + 1);
        return Array.from(counts, ([state, count]) => [{ state }, count] as const);
      });
    },
  };
}
