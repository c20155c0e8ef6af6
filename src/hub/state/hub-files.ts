import { hash } from "node:crypto";
import { configName } from "../../core/config/find-config.ts";
import type { Home } from "../../core/files/home.ts";
import { hubRecordName } from "./open-home.ts";

/** Where the hub keeps what, and where the other commands look for it. */
export const hubFiles = {
  record: (home: Home) => home.file(hubRecordName),
  lock: (home: Home) => home.file("hub.lock"),
  audit: (home: Home) => home.file("audit", "calls.jsonl"),
  /** The token that apps register with, if the environment has none. */
  appToken: (home: Home) => home.file("apps", "token.txt"),
  approvals: (home: Home) => home.file("guard", "approvals.json"),
  pause: (home: Home) => home.file("guard", "pause.json"),
  /** What servers offered when they were last connected: a folder with one file for each, and the key of their names. */
  lists: (home: Home) => ({ folder: home.file("lists"), keyFile: home.file("lists.key") }),
  /** What was called how often, a file a day. */
  usage: (home: Home) => home.file("usage"),
  /** Large results of tools, a file each. */
  results: (home: Home) => home.file("kept-results"),
  /** A folder with one file for each server. */
  pins: (home: Home, configPath?: string) => home.file("guard", "pins", ...[configId(home, configPath) ?? []].flat()),
} as const;

/** Tells configurations apart, since their servers may have the same names; undefined for the one of the state folder. */
export function configId(home: Home, configPath: string | undefined): string | undefined {
  if (configPath === undefined || configPath === home.file(configName)) return undefined;
  return hash("sha256", configPath).slice(0, 16);
}
