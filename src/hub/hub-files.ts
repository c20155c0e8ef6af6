import type { Home } from "../core/files/home.ts";

/** Where the hub keeps what, and where the other commands look for it. */
export const hubFiles = {
  record: (home: Home) => home.file("hub.json"),
  lock: (home: Home) => home.file("hub.lock"),
  audit: (home: Home) => home.file("audit", "calls.jsonl"),
  approvals: (home: Home) => home.file("guard", "approvals.json"),
  /** A folder with one file for each server. */
  pins: (home: Home) => home.file("guard", "pins"),
} as const;
