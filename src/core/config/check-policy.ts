import { nearestName } from "../nearest-name.ts";
import type { Finding } from "./check-value.ts";
import type { PolicyLimit, PolicyRule } from "./policy-schema.ts";
import type { Config } from "./schema.ts";

/** Sources that are there whatever is configured. The model's work for servers is judged as `sampling__<server>`. */
const ownSources = ["agent", "machine", "sampling"];

/**
 * Rules and limits about a source that is not configured: misspelt more often than not, and then what they forbid runs.
 * What a glob means, or an app brings along, can't be known here.
 */
export function checkPolicy({ policy = {}, servers, apps }: Config): readonly Finding[] {
  const sources = [...Object.keys(servers), ...ownSources];
  const prefixes = [
    ...Object.entries(servers).map(([name, { toolPrefix }]) => toolPrefix ?? name),
    "sampling",
    apps.prefix,
  ];
  const { rules = [], limits = [] } = policy;
  return [
    ...rules.flatMap((rule, index) => check(rule).map(within("rules", index))),
    ...limits.flatMap((limit, index) => check(limit).map(within("limits", index))),
  ];

  function check(rule: PolicyRule | PolicyLimit): Finding[] {
    if (rule.door === "app-proxy" || ("kind" in rule && rule.kind === "app")) return [];
    return [...checkSource(rule.source), ...checkTool(rule.tool)];
  }

  function checkSource(source: string | undefined): Finding[] {
    if (source === undefined || isGlob(source) || sources.includes(source)) return [];
    if (source.startsWith(`${apps.prefix}-`)) return [];
    const nearest = nearestName(source, sources);
    return [{ path: ["source"], message: "fits no source that is configured", ...suggest(nearest) }];
  }

  function checkTool(tool: string | undefined): Finding[] {
    const [head = "", ...rest] = tool?.split("__") ?? [];
    if (rest.length === 0 || isGlob(head) || prefixes.some((prefix) => mayBegin(tool ?? "", prefix))) return [];
    const nearest = nearestName(head, prefixes);
    const meant = nearest === undefined ? undefined : [nearest, ...rest].join("__");
    return [{ path: ["tool"], message: "fits the tools of no source that is configured", ...suggest(meant) }];
  }
}

/** A name has to begin with a letter; one that does not is given `t_`. */
function mayBegin(tool: string, prefix: string): boolean {
  return prefix === "" || tool.startsWith(`${prefix}__`) || tool.startsWith(`t_${prefix}__`);
}

function isGlob(text: string): boolean {
  return /[*?]/.test(text);
}

function suggest(suggestion: string | undefined): Pick<Finding, "suggestion"> {
  return suggestion === undefined ? {} : { suggestion };
}

function within(list: string, index: number): (finding: Finding) => Finding {
  return (finding) => ({ ...finding, path: ["policy", list, index, ...finding.path] });
}
