import { compileGlob } from "./glob.ts";
import { nameCandidate } from "./names.ts";
import type { Source } from "./source.ts";

/** A pattern of the configuration that matches no name in the catalog, though another name of this tool. */
export interface MissedPattern {
  readonly pattern: string;
  /** The name in the catalog of a tool or prompt that it seems to mean. */
  readonly name: string;
}

/**
 * Patterns are compared with names in the catalog (`files__write_file`). Many people write the server's own name
 * (`write_file`), or a short name that clients show (`system_run` for `system.run`): nothing is hidden then.
 */
export function findMissedPatterns(patterns: readonly string[], sources: readonly Source[]): readonly MissedPattern[] {
  if (patterns.length === 0) return [];
  const names = sources.flatMap((source) =>
    [...source.tools(), ...(source.prompts?.() ?? [])].map(({ name: original }) => {
      const { plain } = nameCandidate({ source: source.id, prefix: source.prefix, original, own: false });
      return { plain, others: [original, plain.replaceAll(/[^A-Za-z0-9_-]/g, "_")] };
    }),
  );
  return patterns.flatMap((pattern) => {
    const matches = compileGlob(pattern);
    if (names.some(({ plain }) => matches(plain))) return [];
    const meant = names.find(({ others }) => others.some(matches));
    return meant === undefined ? [] : [{ pattern, name: meant.plain }];
  });
}
