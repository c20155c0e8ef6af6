/**
 * Whether a pattern is certain to take time linear in the text: anchored, no groups, alternatives or back references,
 * and at most one quantifier whose count can vary, with little behind it to try again. `^[a-z0-9-]{1,64}$` and
 * `^\d{4}-\d{2}-\d{2}$` are; others run under a time limit.
 */
export function isTamePattern(pattern: string): boolean {
  if (!pattern.startsWith("^") || pattern.length > 256) return false;
  const outline = pattern
    .slice(1)
    .replaceAll(/\\[^\dkpPux]/gu, "e")
    .replaceAll(/\[[^[\]]*\]/gu, "c")
    .replaceAll(/\{\d{1,3}\}/gu, "#")
    .replaceAll(/\{\d{1,6},\d{0,6}\}/gu, "*");
  return /^[^\\()|{}[\]*+?]*(?:[*+?][^#\\()|{}[\]*+?]{0,8})?$/u.test(outline);
}
