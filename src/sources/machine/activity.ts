import type { AuditEntry } from "../../catalog/audit/audit-line.ts";
import type { DoorKind } from "../../catalog/caller.ts";

/** One call of this computer's tools, without its arguments. */
export interface ActivityEntry {
  readonly ts: string;
  readonly transport: "mcp" | "gateway" | "cli";
  readonly command: string;
  readonly ok: boolean;
  readonly durationMs: number;
  readonly errorCode?: string;
  /** What decided whether it might run. */
  readonly decision: string;
}

export interface Activity {
  /** Takes up a call that has ended, if it was one of this computer's tools. */
  record(entry: Pick<AuditEntry, "at" | "source" | "caller" | "tool" | "ms" | "outcome" | "verdict" | "why">): void;
  /** Newest first. */
  list(): readonly ActivityEntry[];
}

const maxEntries = 500;

/** The latest calls, in memory: the audit keeps them for good. */
export function createActivity(): Activity {
  let entries: ActivityEntry[] = [];
  return {
    record({ at, source, caller, tool, ms, outcome, verdict, why }) {
      if (source !== "machine") return;
      const ok = outcome === "ok";
      entries.push({
        ts: new Date(at).toISOString(),
        transport: transportOf(caller.door),
        command: tool,
        ok,
        durationMs: Math.round(ms),
        ...(!ok && { errorCode: outcome }),
        decision: `${verdict}: ${why}`,
      });
      if (entries.length >= 2 * maxEntries) entries = entries.slice(-maxEntries);
    },
    list: () => entries.slice(-maxEntries).toReversed(),
  };
}

function transportOf(door: DoorKind): ActivityEntry["transport"] {
  if (door === "node") return "gateway";
  return door === "cli" ? "cli" : "mcp";
}
