/** `info` needs no action; `warn` works but should be fixed; `fail` does not work. */
export type FindingLevel = "ok" | "info" | "warn" | "fail";

/** One thing the doctor found. */
export interface DoctorFinding {
  readonly level: FindingLevel;
  readonly what: string;
  /** The command that fixes it. */
  readonly fix?: string;
}

/** A finding, and the check that found it. */
export interface Examined extends DoctorFinding {
  readonly check: string;
}
