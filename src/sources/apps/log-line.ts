import { crc32 } from "node:zlib";
import type { SessionRecord } from "./session-store.ts";

/** One thing that happened to the sessions. */
export type LogEntry =
  | { readonly put: SessionRecord; readonly expiresAt: number }
  | { readonly touch: string; readonly expiresAt: number }
  | { readonly remove: string };

/** A line of the log: a checksum, then the entry, so that a torn or rotten line is known for one. */
export function formatLine(entry: LogEntry): string {
  const json = JSON.stringify(entry);
  return `${checksum(json)} ${json}\n`;
}

/** Nothing where the line is damaged. */
export function parseLine(line: Buffer): LogEntry | undefined {
  const json = line.subarray(9);
  if (line.length < 11 || line.subarray(0, 8).toString("latin1") !== checksum(json)) return undefined;
  try {
    const entry: unknown = JSON.parse(json.toString());
    return isEntry(entry) ? entry : undefined;
  } catch {
    return undefined;
  }
}

function checksum(data: string | Buffer): string {
  return crc32(data).toString(16).padStart(8, "0");
}

/** The checksum proves that we wrote it; what is looked at here is only which version of us that was. */
function isEntry(value: unknown): value is LogEntry {
  if (typeof value !== "object" || value === null) return false;
  if ("remove" in value) return typeof value.remove === "string";
  if (!("expiresAt" in value) || typeof value.expiresAt !== "number") return false;
  if ("touch" in value) return typeof value.touch === "string";
  if (!("put" in value) || typeof value.put !== "object" || value.put === null) return false;
  return "id" in value.put && typeof value.put.id === "string" && "tools" in value.put && "ownTokens" in value.put;
}
