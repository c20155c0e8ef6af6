import type { Log } from "../core/log.ts";
import { compileGlob } from "./glob.ts";
import { aliasesOf, conflictName, nameCandidate, toNarrowAlphabet } from "./names.ts";
import type { Source } from "./source.ts";
import { isMeant, type NameReach, type PatternSubject } from "./tool-pattern.ts";

/** Patterns of one setting of the configuration that are compared with full names only. */
export interface NamePatterns {
  /** The setting, for the log: `policy`. */
  readonly where: string;
  readonly patterns: readonly string[];
}

/**
 * Reports patterns that mean a tool by a name that they are not compared with. Many people write the server's own name
 * (`write_file` for `files__write_file`): a rule that allows then allows nothing.
 */
export interface PatternReport {
  /** Replaces the patterns of this setting. */
  watch(patterns: NamePatterns): void;
  /** Reports each pattern at most once. What it means may come with a later source. */
  check(sources: () => readonly Source[]): void;
}

export function createPatternReport(log: Log): PatternReport {
  let watched: readonly NamePatterns[] = [];
  return {
    watch({ where, patterns }) {
      const checked = [...new Set(patterns)].filter((pattern) => pattern !== "*");
      const others = watched.filter((setting) => setting.where !== where);
      watched = checked.length === 0 ? others : [...others, { where, patterns: checked }];
    },
    check(sources) {
      if (watched.length === 0) return;
      const tools = sources().flatMap(subjectsOf);
      const settled = (where: string, pattern: string): boolean => {
        const meant = judgePattern(pattern, tools, "held");
        if (meant.kind === "missed")
          log.warn(`a pattern of ${where} matches no full name of a tool`, { pattern, write: meant.tools[0]!.name });
        return meant.kind !== "unknown";
      };
      watched = watched.flatMap(({ where, patterns }) => {
        const left = patterns.filter((pattern) => !settled(where, pattern));
        return left.length === 0 ? [] : [{ where, patterns: left }];
      });
    },
  };
}

/** A tool that a pattern may mean. */
export interface NamedTool extends PatternSubject {
  /** Whether it has another name than usual, since another tool claims that one. */
  readonly isContested: boolean;
}

function subjectsOf({ id: source, prefix, tools }: Source): readonly NamedTool[] {
  return tools().map(({ name: original }) => {
    const { plain: name, aliases } = nameCandidate({ source, prefix, original, own: false });
    return { name, shortName: () => toNarrowAlphabet(name), aliases, isContested: false };
  });
}

/** A tool of a source that has this prefix, by its name in the catalog alone. */
export function namedTool(name: string, source: string, prefix: string, isShared: boolean): NamedTool {
  const bare = name.startsWith(`${prefix}__`) ? name.slice(prefix.length + 2) : name;
  const [, unhashed] = /^(.+)_[0-9a-f]{8}$/.exec(bare) ?? [];
  const isContested = unhashed !== undefined && conflictName({ source, prefix, original: unhashed }) === name;
  const original = isContested ? unhashed : bare;
  return {
    name,
    shortName: () => toNarrowAlphabet(name),
    aliases: () => aliasesOf({ source, prefix, original }),
    sharesPrefix: () => isShared,
    isContested,
  };
}

/** What a pattern matches among the tools that there are. */
export interface PatternVerdict {
  /**
   * `matches`: tools. `contested`: only tools that have another name now, since several claim it. `missed`: only tools whose
   * other names it is not compared with. `shared`: only tools whose prefix another source has, too. `unknown`: none.
   */
  readonly kind: "matches" | "contested" | "missed" | "shared" | "unknown";
  readonly tools: readonly NamedTool[];
}

export function judgePattern(pattern: string, tools: readonly NamedTool[], by: NameReach): PatternVerdict {
  const matches = compileGlob(pattern);
  const found = tools.filter((tool) => isMeant(matches, tool, by));
  if (found.some((tool) => !tool.isContested || isMeant(matches, tool, "held")))
    return { kind: "matches", tools: found };
  if (found.length > 0) return { kind: "contested", tools: found };
  const meant = by === "any" ? [] : tools.filter((tool) => isMeant(matches, tool));
  if (meant.length === 0) return { kind: "unknown", tools: [] };
  if (by === "sole" && meant.some((tool) => isMeant(matches, tool, "held"))) return { kind: "shared", tools: meant };
  return { kind: meant.every(({ isContested }) => isContested) ? "contested" : "missed", tools: meant };
}
