import { shortHash } from "../../../catalog/audit/audit-line.ts";
import type { HubContext } from "../contexts.ts";

/** An app that is connected to the app proxy, or was a moment ago. */
export interface ListedAppSession {
  /** A hash, the one that the audit has for its calls: the id itself would give access to the session. */
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly tools: readonly string[];
  readonly bridge: "connected" | "disconnected";
  readonly callsInFlight: number;
  readonly expiresAt: string;
}

export async function listApps({ engine }: HubContext): Promise<readonly ListedAppSession[]> {
  return (engine.apps?.sessions() ?? []).map(({ id, record, source, bridge, expiresAt }) => ({
    id: shortHash(id),
    name: record.deviceName,
    version: record.appVersion,
    tools: source.tools().map(({ name }) => name),
    bridge: bridge === undefined ? "disconnected" : "connected",
    callsInFlight: bridge?.inFlight ?? 0,
    expiresAt: new Date(expiresAt).toISOString(),
  }));
}
