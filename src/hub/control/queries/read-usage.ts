import { minimumAge } from "../../../catalog/usage/minimum-age.ts";
import { keptDays } from "../../../catalog/usage/usage-files.ts";
import { reportUsage, type UsageReport } from "../../../catalog/usage/usage-report.ts";
import { estimateDefinition } from "../../../core/estimate-tokens.ts";
import type { HubContext } from "../contexts.ts";

export async function readUsage({ engine, servers }: HubContext, days = 30): Promise<UsageReport> {
  const { usage, catalog, pins } = engine;
  // What is listed for the first time is pinned now.
  const tools = catalog.tools();
  const [read, { rows }, pinned, all] = await Promise.all([
    usage.read(days),
    usage.read(keptDays),
    // Without them nothing is called unused.
    pins.all().catch(() => []),
    servers.list(),
  ]);
  const known = minimumAge({ pins: pinned, rows, now: Date.now() });
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
}
