import { hash } from "node:crypto";
import { randomHex } from "../../../core/secrets/crypto.ts";

/** A new key for an order without one. It can't be guessed. */
export function createSessionKey(now: number = Date.now()): string {
  return `mcp-${now}-${randomHex(8)}`;
}

/** Whether `createSessionKey` made this key. */
export function isGeneratedKey(key: string): boolean {
  return /^mcp-\d+-[0-9a-f]{16}$/.test(key);
}

/** Written to logs and file names instead of the key: with the key, anyone could read the conversation. */
export function hashSessionKey(key: string): string {
  return hash("sha256", key).slice(0, 16);
}

/**
 * The key of a conversation inside the gateway. OpenClaw ignores case and gives colons a meaning, so keys that it could
 * confuse get a hash.
 */
export function gatewaySessionKey(sessionKey: string, agentId: string): string {
  if (/^[a-z0-9][a-z0-9_.@+-]*$/.test(sessionKey)) return `agent:${agentId}:${sessionKey}`;
  const readable = sessionKey
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 64);
  return `agent:${agentId}:${readable === "" ? "" : `${readable}-`}${hashSessionKey(sessionKey)}`;
}
