/**
 * What becomes of a thing that a rule applies to. `hold`: not listed until a person has looked at it. `ask`: not used until
 * a person has. `mark`: passed on with a notice. `note`: recorded only.
 */
export type Severity = "hold" | "ask" | "mark" | "note";

/** What a rule reads. */
export type Subject = "definition" | "arguments" | "result" | "server";

/** What a rule found, and where. */
export interface Finding {
  readonly rule: string;
  readonly severity: Severity;
  /** A path into what was read: `description`, `inputSchema.properties.note.description`, `content[0]`. */
  readonly where: string;
  /** The words in question, of bounded length. */
  readonly quote: string;
  /** A clause that says what is wrong, without a full stop. */
  readonly why: string;
}

const strictness: readonly Severity[] = ["note", "mark", "ask", "hold"];

export function isAtLeast(severity: Severity, least: Severity): boolean {
  return strictness.indexOf(severity) >= strictness.indexOf(least);
}

/** The strictest first; of a rule in one place, only the first. */
export function sortFindings(findings: readonly Finding[]): readonly Finding[] {
  const seen = new Set<string>();
  return findings
    .filter(({ rule, where }) => !seen.has(`${rule} ${where}`) && seen.add(`${rule} ${where}`))
    .toSorted((one, other) => strictness.indexOf(other.severity) - strictness.indexOf(one.severity));
}

const longestQuote = 200;

/** The words around a place, of bounded length. */
export function quoteAt(text: string, start: number, end: number): string {
  const from = Math.max(0, start - 30);
  const to = Math.min(text.length, Math.max(end + 30, start + 60), from + longestQuote);
  const quote = text.slice(from, to).replaceAll(/\s+/g, " ").trim();
  return `${from > 0 ? "…" : ""}${quote}${to < text.length ? "…" : ""}`;
}
