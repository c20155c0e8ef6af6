import type { ConfigFinding } from "./check-value.ts";
import type { Config } from "./config-schema.ts";
import { defaultConfig } from "./find-config.ts";
import type { Policy } from "./policy-config.ts";
import { isSameJson } from "../is-same-json.ts";

/** The active configuration, and what the folder's says without effect. */
export interface MergedConfig {
  readonly config: Config;
  readonly ignored: readonly ConfigFinding[];
}

/**
 * The active configuration in a folder that has one of its own, from the owner's (in the state folder) and the folder's.
 * A folder can tighten what its owner decided, never loosen it:
 *
 * - `policy.rules`, `policy.preset`: both policies judge each call, each with its own rules and preset, and the stricter
 *   verdict wins. So denials and questions add up; an `allow` of the folder is an exception to its own rules alone, and
 *   its `open` has no effect.
 * - `policy.limits`: both lists apply, since a call must be within every limit.
 * - `policy.changedTools`, `policy.newTools`: the stricter of the two. Everything else in `policy` is the owner's.
 * - `audit`, `machine`: the owner's.
 * - `catalog.exclude`: both lists apply. `catalog.include`: the folder's.
 * - `servers`: the folder's, but none is `trusted`, since that would make its hints count under the owner's `strict`.
 * - everything else (`hub`, `log`, `agent`, `apps` …): the folder's. What could expose or send something needs trust
 *   first (`findRisks`).
 */
export function mergeConfigs(owner: Config, folder: Config): MergedConfig {
  const config: Config = {
    ...folder,
    policy: mergePolicies(owner.policy, folder.policy),
    audit: owner.audit,
    machine: owner.machine,
    catalog: { ...folder.catalog, exclude: [...owner.catalog.exclude, ...folder.catalog.exclude] },
    servers: Object.fromEntries(
      Object.entries(folder.servers).map(([name, server]) => [name, { ...server, trusted: false }]),
    ),
  };
  return { config, ignored: [...findIgnoredPolicy(owner.policy, folder.policy), ...findIgnored(owner, folder)] };
}

/** Without a `policy`, a folder has no say in what may run. */
const noPolicy: Policy = { preset: "open" };

function mergePolicies(owner: Policy = {}, folder: Policy = noPolicy): Policy {
  return {
    ...owner,
    limits: [...(owner.limits ?? []), ...(folder.limits ?? [])],
    changedTools: stricter(["pinned", "hide"], owner.changedTools ?? "pinned", folder.changedTools ?? "pinned"),
    newTools: stricter(newTools, newToolsOf(owner), newToolsOf(folder)),
    folder: { preset: folder.preset ?? "default", rules: folder.rules ?? [] },
  };
}

const newTools = ["allow", "ask", "hide"] as const;
const newToolsOf = ({ preset, newTools: chosen = preset === "strict" ? "ask" : "allow" }: Policy) => chosen;

/** `order` goes from the loosest to the strictest. */
function stricter<T>(order: readonly T[], one: T, other: T): T {
  return order.indexOf(one) > order.indexOf(other) ? one : other;
}

const without = "has no effect: a folder's configuration can't";

/** Only what would loosen something, and differs from the default: whether a default was written is not known here. */
function findIgnoredPolicy(owner: Policy = {}, folder: Policy = noPolicy): readonly ConfigFinding[] {
  const { rules = [], newTools: chosen, unattendedApprovals } = folder;
  const lastStrict = rules.findLastIndex(({ verdict }) => verdict !== "allow");
  const paths = [
    ...(folder !== noPolicy && folder.preset === "open" && owner.preset !== "open" ? [["preset"]] : []),
    ...(chosen !== undefined && stricter(newTools, newToolsOf(owner), chosen) !== chosen ? [["newTools"]] : []),
    ...(unattendedApprovals === true && owner.unattendedApprovals !== true ? [["unattendedApprovals"]] : []),
    // Before a stricter rule of the folder itself it is an exception to that.
    ...(folder.preset === "strict" ? [] : rules.map((_, index) => ["rules", index]).slice(lastStrict + 1)),
  ];
  return paths.map((path) => ({ path: ["policy", ...path], message: `${without} loosen your own policy` }));
}

function findIgnored(owner: Config, folder: Config): readonly ConfigFinding[] {
  const audit = (["enabled", "maxBytes", "keep", "required", "arguments", "chain"] as const).filter(
    (key) => folder.audit[key] !== defaultConfig.audit[key] && folder.audit[key] !== owner.audit[key],
  );
  const offersMachine = !isSameJson(folder.machine, defaultConfig.machine);
  const trusted = Object.keys(folder.servers).filter((name) => folder.servers[name]?.trusted);
  return [
    ...audit.map((key) => ({ path: ["audit", key], message: `${without} change the audit` })),
    ...(offersMachine ? [{ path: ["machine"], message: `${without} offer this computer` }] : []),
    ...trusted.map((name) => ({ path: ["servers", name, "trusted"], message: `${without} vouch for its servers` })),
  ];
}
