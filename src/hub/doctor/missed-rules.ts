import { judgePattern, namedTool, type NamedTool } from "../../catalog/missed-patterns.ts";
import type { ConfigFinding } from "../../core/config/check-value.ts";
import type { ConfigProblem } from "../../core/config/config-problem.ts";
import type { Config } from "../../core/config/config-schema.ts";
import type { LoadedConfig } from "../../core/config/load-config.ts";
import type { ListedTool } from "../control/hub-control.ts";

interface ToolPattern {
  readonly path: readonly (string | number)[];
  readonly pattern: string;
  /** Whether it is compared with full names only: see `toolTest` in `judge-call.ts`. */
  readonly by: "any" | "held";
}

/** Patterns for tools that match nothing in a running hub, or only tools that have another name now. */
export async function findMissedRules(
  { config, raw }: Pick<LoadedConfig, "config" | "raw">,
  listed: readonly ListedTool[],
): Promise<readonly ConfigProblem[]> {
  const tools = listed.map(({ name, source }) => namedTool(name, source, prefixOf(source, config)));
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
    const holds = by === "held" ? "it allows none of them" : "it holds for all of them";
    return [{ path, message: `matches a name that several tools claim (now ${names.join(", ")}); ${holds}` }];
  }
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
    ...rules.flatMap(({ tool, source, verdict }, index): ToolPattern[] => {
      const by = verdict === "allow" && source === undefined ? "held" : "any";
      return tool === undefined ? [] : [{ path: ["policy", "rules", index, "tool"], pattern: tool, by }];
    }),
    ...limits.flatMap(({ tool }, index): ToolPattern[] =>
      tool === undefined ? [] : [{ path: ["policy", "limits", index, "tool"], pattern: tool, by: "any" }],
    ),
    ...catalog.include.map((pattern, index) => ({ path: ["catalog", "include", index], pattern, by: "any" as const })),
    ...hub.always.map((pattern, index) => ({ path: ["hub", "always", index], pattern, by: "any" as const })),
  ];
}

function prefixOf(source: string, { servers, apps }: Config): string {
  const server = Object.hasOwn(servers, source) ? servers[source] : undefined;
  const isApp = server === undefined && source.startsWith(`${apps.prefix}-`);
  return isApp ? apps.prefix : (server?.toolPrefix ?? source);
}
