/** `info` is worth knowing and needs nothing done; `warn` works but should be mended; `fail` does not work. */
export type FindingLevel = "ok" | "info" | "warn" | "fail";

/** One thing the doctor saw. */
export interface Finding {
  readonly level: FindingLevel;
  readonly what: string;
  /** The command that mends it. */
  readonly fix?: string;
}
