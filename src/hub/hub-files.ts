import { hash } from "node:crypto";
import { configName } from "../core/config/find-config.ts";
import type { Home } from "../core/files/home.ts";

/** Where the hub keeps what, and where the other commands look for it. */
export const hubFiles = {
  record: (home: Home) => home.file("hub.json"),
  lock: (home: Home) => home.file("hub.lock"),
  audit: (home: Home) => home.file("audit", "calls.jsonl"),
  approvals: (home: Home) => home.file("guard", "approvals.json"),
  /** A folder with one file for each server. Servers of another configuration may have the same names. */
  pins: (home: Home, configPath?: string) =>
    configPath === undefined || configPath === home.file(configName)
      ? home.file("guard", "pins")
      : home.file("guard", "pins", hash("sha256", configPath).slice(0, 16)),
} as const;
