import { hash } from "node:crypto";
import { randomHex } from "../../../core/secrets/crypto.ts";

/** A conversation of its own for an order that names none: nobody else can guess or repeat it. */
export function createSessionKey(now: number = Date.now()): string {
  return `mcp-${now}-${randomHex(8)}`;
}

/** Whether it looks like one of those. */
export function isGeneratedKey(key: string): boolean {
  return /^mcp-\d+-[0-9a-f]{16}$/.test(key);
}

/** What is written down instead of the key: whoever knows a key can read its conversation. */
export function hashSessionKey(key: string): string {
  return hash("sha256", key).slice(0, 16);
}

/**
 * The key of a conversation inside the gateway. OpenClaw reads keys without regard to case and gives parts between colons
 * a meaning of their own: keys that it could mistake for each other are told apart by their hash.
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
