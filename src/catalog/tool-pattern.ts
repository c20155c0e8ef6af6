import type { PolicyRule } from "../core/config/policy-config.ts";
import { compileGlobs, type Matcher } from "./glob.ts";
import { aliasesOf, toNarrowAlphabet } from "./names.ts";

/** A tool, prompt or one-off tool, as far as a pattern of the configuration can mean it. */
export interface PatternSubject {
  /** Its name in the catalog. */
  readonly name: string;
  /** Its name for clients that accept only `[A-Za-z0-9_-]{1,48}`, if that differs. */
  readonly shortName?: (() => string) | undefined;
  /** Every other name that a person may mean it by. */
  readonly aliases?: (() => readonly string[]) | undefined;
  /** Whether another source has its prefix, too: then its name does not say whose tool it is. */
  readonly sharesPrefix?: (() => boolean) | undefined;
}

/**
 * By which of its names a tool is meant. `any`: by any name that it has or could have, so that no conflict with another tool
 * takes it out of a rule. `held`: only by the names that it has now. `sole`: by these, if no other source has its prefix.
 */
export type NameReach = "any" | "held" | "sole";

/**
 * What denies, asks or limits holds for every tool that it may mean. A rule that allows does not reach a tool by a name that
 * another source could give to a tool of its own, unless the rule names the source, or is meant for tools of all.
 */
export function reachOf({ tool = "", source, verdict }: Partial<PolicyRule>): NameReach {
  if (verdict !== "allow" || source !== undefined) return "any";
  return tool.startsWith("*") ? "held" : "sole";
}

/** Whether patterns mean a tool. Every setting that takes names of tools asks here. */
export function isMeant(matches: Matcher, tool: PatternSubject, by: NameReach = "any"): boolean {
  const { name, shortName, aliases } = tool;
  if (by === "sole" && tool.sharesPrefix?.() === true) return false;
  if (matches(name) || (shortName !== undefined && matches(shortName()))) return true;
  return by === "any" && aliases !== undefined && aliases().some(matches);
}

/** Whose tools the settings of one source are about. */
export interface NameOwner {
  readonly source: string;
  readonly prefix: string;
}

/**
 * The same for the settings of one source, which go by its own names. Only a pattern with `__` in it is compared with full
 * names as well: `f*` of a server `files` is about its tools that begin with f, not about all of them.
 */
export function compileOwnPatterns(patterns: readonly string[], owner: NameOwner): Matcher {
  if (patterns.includes("*")) return () => true;
  if (patterns.length === 0) return () => false;
  const ofOwn = compileGlobs(patterns);
  const full = patterns.filter((pattern) => pattern.includes("__"));
  const ofFull = full.length === 0 ? undefined : compileGlobs(full);
  return (original) =>
    ofOwn(original) ||
    ofOwn(toNarrowAlphabet(original)) ||
    (ofFull !== undefined && aliasesOf({ ...owner, original }).some(ofFull));
}

/** The value that a setting of one source has for one of its tools; undefined if there is none. */
export function findByOwnName<T>(
  settings: Readonly<Record<string, T>>,
  original: string,
  owner: NameOwner,
): T | undefined {
  if (Object.hasOwn(settings, original)) return settings[original];
  if (!Object.keys(settings).some((key) => key.includes("__"))) return undefined;
  const key = aliasesOf({ ...owner, original }).find((alias) => alias.includes("__") && Object.hasOwn(settings, alias));
  return key === undefined ? undefined : settings[key];
}
