import { hash } from "node:crypto";
import { randomHex } from "../../core/random-hex.ts";

/** A conversation of its own for an order that names none: nobody else can guess or repeat it. */
export function createSessionKey(now: number = Date.now()): string {
  return `mcp-${now}-${randomHex(8)}`;
}

/** Whether it looks like one of those. */
export function isMadeKey(key: string): boolean {
  return /^mcp-\d+-[0-9a-f]{16}$/.test(key);
}

/** What is written down instead of the key: whoever knows a key can read its conversation. */
export function hashSessionKey(key: string): string {
  return hash("sha256", key).slice(0, 16);
}
