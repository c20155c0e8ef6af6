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
}

/**
 * Whether patterns mean a tool. Every setting that takes names of tools asks here.
 *
 * `any`: by any name that it has or could have, so that no conflict with another tool takes it out of a rule. `held`: only by
 * the names that it has now. That is for what lets more through: an alias may belong to a stranger's tool as well.
 */
export function isMeant(matches: Matcher, tool: PatternSubject, by: "any" | "held" = "any"): boolean {
  const { name, shortName, aliases } = tool;
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
