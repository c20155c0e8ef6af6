import type { Severity } from "../finding.ts";
import type { Saying } from "../match-words.ts";

/** A rule on what a text says, whatever its words and its language. */
export interface WordingRule {
  readonly id: string;
  readonly why: string;
  /** How severe it is in each place that it reads. Wording may only ask or mark. */
  readonly reads: { readonly definition?: Exclude<Severity, "hold">; readonly result?: "mark" | "note" };
  /** Any of them. */
  readonly sayings: readonly (Saying & { readonly only?: "definition" | "result" })[];
  /** Texts that it must find, and near ones that it must leave alone. */
  readonly catches: readonly string[];
  readonly passes: readonly string[];
}

/** Meanings that many rules combine with others. */
export const acts = ["read", "send", "fill", "run"] as const;
export const wanted = ["secret", "secretfile", "history", "system", "personal"] as const;
