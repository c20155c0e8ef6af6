import type { Catalog } from "../../catalog/catalog.ts";
import type { Pins } from "../../catalog/guard/pins.ts";
import { longKnown } from "../../catalog/usage/long-known.ts";
import { keptDays } from "../../catalog/usage/usage-files.ts";
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
  readonly pins: Pick<Pins, "all">;
}

export function createUsageControl({ usage, catalog, servers, pins }: UsageControlOptions): UsageControl {
  return {
    async read(days = 30) {
      // What is listed for the first time is pinned now.
      const tools = catalog.tools();
      const [read, { rows }, pinned, all] = await Promise.all([
        usage.read(days),
        usage.read(keptDays),
        // Without them nothing is called unused.
        pins.all().catch(() => []),
        servers.list(),
      ]);
      const known = longKnown({ pins: pinned, rows, now: Date.now() });
      const knownServers = all
        .filter(({ name, state }) => state !== "disabled" && known.server(name))
        .map(({ name }) => name);
      const tokens = tools.reduce((sum, { definition }) => sum + estimateDefinition(definition), 0);
      // Every session of an app has its own tools.
      const knownTools = tools
        .filter(({ source, tool }) => source.kind !== "app" && known.tool(source, tool.name))
        .map(({ name, source, definition }) => ({
          server: source.id,
          tool: name,
          tokens: estimateDefinition(definition),
        }));
      return reportUsage({ ...read, knownServers, knownTools, listed: { tools: tools.length, tokens } });
    },
  };
}
