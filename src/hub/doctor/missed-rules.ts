import { judgePattern, namedTool, type NamedTool } from "../../catalog/unmatched-patterns.ts";
import { type NameReach, reachOf } from "../../catalog/tool-pattern.ts";
import type { ConfigFinding } from "../../core/config/check-value.ts";
import type { ConfigProblem } from "../../core/config/config-problem.ts";
import type { Config } from "../../core/config/config-schema.ts";
import type { LoadedConfig } from "../../core/config/load-config.ts";
import type { ListedTool } from "../control/queries/list-tools.ts";

interface ToolPattern {
  readonly path: readonly (string | number)[];
  readonly pattern: string;
  readonly by: NameReach;
}

/** Patterns for tools that match nothing in a running hub, or only tools that have another name now. */
export async function findMissedRules(
  { config, raw }: Pick<LoadedConfig, "config" | "raw">,
  listed: readonly ListedTool[],
): Promise<readonly ConfigProblem[]> {
  const shared = sharedPrefixes(config);
  const tools = listed.map(({ name, source }) => {
    const prefix = prefixOf(source, config);
    return namedTool(name, source, prefix, shared.has(prefix));
  });
  const prefixes = new Set(listed.map(({ source }) => prefixOf(source, config)));
  const findings = tools.length === 0 ? [] : patternsOf(config).flatMap((pattern) => judge(pattern, tools, prefixes));
  const { locateFindings } = await import("../../core/config/parse-config.ts");
  return locateFindings(raw, findings);
}

function judge(
  { path, pattern, by }: ToolPattern,
  tools: readonly NamedTool[],
  prefixes: ReadonlySet<string>,
): ConfigFinding[] {
  const { kind, tools: meant } = judgePattern(pattern, tools, by);
  const names = meant.map(({ name }) => name);
  if (kind === "contested") {
    const holds = by !== "any" ? "it allows none of them" : "it holds for all of them";
    return [{ path, message: `matches a name that several tools claim (now ${names.join(", ")}); ${holds}` }];
  }
  if (kind === "shared")
    return [{ path, message: "matches tools of servers with the same `toolPrefix`; it allows none: add `source`" }];
  if (kind === "missed") return [{ path, message: "matches no full name of a tool", suggestion: names[0]! }];
  // Only of a server whose tools are known can be said that it has no such tool.
  const [head = "", rest] = pattern.split("__");
  const isKnown = rest !== undefined && prefixes.has(head);
  return kind === "unknown" && isKnown ? [{ path, message: `matches no tool of ${head}` }] : [];
}

/** `catalog.exclude` is left out: what it matches is not listed. */
function patternsOf({ policy, catalog, hub }: Config): ToolPattern[] {
  const { rules = [], limits = [] } = policy ?? {};
  return [
    ...rules.flatMap((rule, index): ToolPattern[] => {
      const { tool } = rule;
      return tool === undefined ? [] : [{ path: ["policy", "rules", index, "tool"], pattern: tool, by: reachOf(rule) }];
    }),
    ...limits.flatMap(({ tool }, index): ToolPattern[] =>
      tool === undefined ? [] : [{ path: ["policy", "limits", index, "tool"], pattern: tool, by: "any" }],
    ),
    ...catalog.include.map((pattern, index) => ({ path: ["catalog", "include", index], pattern, by: "any" as const })),
    ...hub.always.map((pattern, index) => ({ path: ["hub", "always", index], pattern, by: "any" as const })),
  ];
}

function sharedPrefixes({ servers, apps }: Config): ReadonlySet<string> {
  const ofServers = Object.entries(servers).filter(([, { enabled }]) => enabled);
  const prefixes = ofServers.map(([name, { toolPrefix }]) => toolPrefix ?? name);
  if (apps.show) prefixes.push(apps.prefix);
  return new Set(prefixes.filter((prefix, index) => prefixes.indexOf(prefix) !== index));
}

function prefixOf(source: string, { servers, apps }: Config): string {
  const server = Object.hasOwn(servers, source) ? servers[source] : undefined;
  const isApp = server === undefined && source.startsWith(`${apps.prefix}-`);
  return isApp ? apps.prefix : (server?.toolPrefix ?? source);
}
