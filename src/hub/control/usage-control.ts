import type { Catalog } from "../../catalog/catalog.ts";
import type { UsageLedger } from "../../catalog/usage/usage-ledger.ts";
import { reportUsage, type UsageReport } from "../../catalog/usage/usage-report.ts";
import { estimateDefinition } from "../../core/estimate-tokens.ts";
import type { ServersControl } from "./hub-control.ts";

export interface UsageControl {
  /** The last days, today included; 30 unless given, at most 92. Days are those of UTC. */
  read(days?: number): Promise<UsageReport>;
}

export interface UsageControlOptions {
  readonly usage: UsageLedger;
  readonly catalog: Pick<Catalog, "tools">;
  readonly servers: Pick<ServersControl, "list">;
}

export function createUsageControl({ usage, catalog, servers }: UsageControlOptions): UsageControl {
  return {
    async read(days = 30) {
      const [read, all] = await Promise.all([usage.read(days), servers.list()]);
      const configured = all.filter(({ state }) => state !== "disabled").map(({ name }) => name);
      const tools = catalog.tools();
      const tokens = tools.reduce((sum, { definition }) => sum + estimateDefinition(definition), 0);
      // Every session of an app has its own tools.
      const knownTools = tools
        .filter(({ source }) => source.kind !== "app")
        .map(({ name, source, definition }) => ({
          server: source.id,
          tool: name,
          tokens: estimateDefinition(definition),
        }));
      return reportUsage({ ...read, knownServers: configured, knownTools, listed: { tools: tools.length, tokens } });
    },
  };
}
