import { judgePattern, type ToolNames, toShortName } from "../../catalog/missed-patterns.ts";
import type { ConfigProblem } from "../../core/config/config-problem.ts";
import type { LoadedConfig } from "../../core/config/load-config.ts";
import type { ListedTool } from "../control/hub-control.ts";

/** Rules and limits that mean a tool by a name that they are not compared with, so that they apply to nothing. */
export async function findMissedRules(
  { config, raw }: Pick<LoadedConfig, "config" | "raw">,
  tools: readonly ListedTool[],
): Promise<readonly ConfigProblem[]> {
  const { rules = [], limits = [] } = config.policy ?? {};
  const names = tools.map((tool) => namesOf(tool, config.servers[tool.source]?.toolPrefix ?? tool.source));
  const missed = Object.entries({ rules, limits }).flatMap(([list, entries]) =>
    entries.flatMap(({ tool }, index) => {
      const meant = tool === undefined ? undefined : judgePattern(tool, names, true);
      if (meant === undefined || meant === "matches") return [];
      const path = ["policy", list, index, "tool"];
      return [{ path, message: "matches no full name of a tool", suggestion: meant.full }];
    }),
  );
  const { locateFindings } = await import("../../core/config/parse-config.ts");
  return locateFindings(raw, missed);
}

function namesOf({ name: full }: ListedTool, prefix: string): ToolNames {
  const own = full.startsWith(`${prefix}__`) ? full.slice(prefix.length + 2) : full;
  return { full, own, short: toShortName(full) };
}
