import type { Log } from "../core/log.ts";
import { compileGlob } from "./glob.ts";
import { nameCandidate } from "./names.ts";
import type { Source } from "./source.ts";

/** Patterns of one setting of the configuration. */
export interface NamePatterns {
  /** The setting, for the log: `catalog.exclude`. */
  readonly where: string;
  readonly patterns: readonly string[];
  /** Whether they are also compared with the short names that clients show; false unless given. */
  readonly takesShort?: boolean;
}

/**
 * Reports patterns that mean a tool by a name that they are not compared with. Many people write the server's own name
 * (`write_file` for `files__write_file`), or a short one (`system_run` for `system.run`): nothing is hidden or denied then.
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
    watch({ patterns, ...setting }) {
      const checked = [...new Set(patterns)].filter((pattern) => pattern !== "*");
      const others = watched.filter(({ where }) => where !== setting.where);
      watched = checked.length === 0 ? others : [...others, { ...setting, patterns: checked }];
    },
    check(sources) {
      if (watched.length === 0) return;
      const names = sources().flatMap(namesOf);
      const settled = (setting: NamePatterns, pattern: string): boolean => {
        const meant = judgePattern(pattern, names, setting.takesShort === true);
        if (meant !== undefined && meant !== "matches")
          log.warn(`a pattern of ${setting.where} matches no full name of a tool`, { pattern, write: meant.full });
        return meant !== undefined;
      };
      watched = watched.flatMap((setting) => {
        const patterns = setting.patterns.filter((pattern) => !settled(setting, pattern));
        return patterns.length === 0 ? [] : [{ ...setting, patterns }];
      });
    },
  };
}

/** What one tool is called. */
export interface ToolNames {
  readonly full: string;
  readonly short: string;
  /** As its source calls it. */
  readonly own: string;
}

function namesOf(source: Source): readonly ToolNames[] {
  return [...source.tools(), ...(source.prompts?.() ?? [])].map(({ name: own }) => {
    const { plain: full } = nameCandidate({ source: source.id, prefix: source.prefix, original: own, own: false });
    return { full, own, short: toShortName(full) };
  });
}

/** As clients show it, apart from its length. */
export function toShortName(full: string): string {
  return full.replaceAll(/[^A-Za-z0-9_-]/g, "_");
}

/** Whether a pattern matches something, or what it seems to mean; undefined if there is nothing of that name. */
export function judgePattern(
  pattern: string,
  names: readonly ToolNames[],
  takesShort: boolean,
): "matches" | ToolNames | undefined {
  const matches = compileGlob(pattern);
  if (names.some(({ full, short }) => matches(full) || (takesShort && matches(short)))) return "matches";
  return names.find(({ own, short }) => matches(own) || matches(short));
}
