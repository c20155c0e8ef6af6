import { hash } from "node:crypto";
import type { Caller } from "../../../catalog/caller.ts";
import { randomHex } from "../../../core/secrets/crypto.ts";

/** A new key for an order without one. It can't be guessed. */
export function createSessionKey(now: number = Date.now()): string {
  return `mcp-${now}-${randomHex(8)}`;
}

/** Whether `createSessionKey` made this key. */
export function isGeneratedKey(sessionKey: string): boolean {
  return /^mcp-\d+-[0-9a-f]{16}$/.test(orderKeyOf(sessionKey));
}

/**
 * The key of a conversation, given the key in an order. A named token has conversations of its own: the name is part of
 * their keys. So is a hash, because others may choose keys that look alike.
 */
export function scopeSessionKey(key: string, { door, token }: Caller): string {
  if (token === undefined || token === "main" || door === "mcp-stdio") return key;
  return `${key}@${token}-${scopeHash(key, token)}`;
}

/** A conversation of a named token. */
export interface ScopedKey {
  readonly key: string;
  readonly token: string;
}

/** Undefined for a conversation of the owner. */
export function parseScopedKey(sessionKey: string): ScopedKey | undefined {
  const [, key, token, found] = /^([\s\S]+)@([A-Za-z][A-Za-z0-9_.-]*)-([0-9a-f]{16})$/.exec(sessionKey) ?? [];
  if (key === undefined || token === undefined || found !== scopeHash(key, token)) return undefined;
  return { key, token };
}

/** The key as its caller knows it. */
export function orderKeyOf(sessionKey: string): string {
  return parseScopedKey(sessionKey)?.key ?? sessionKey;
}

function scopeHash(key: string, token: string): string {
  return hashSessionKey(JSON.stringify([token, key]));
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
  const { key, token } = parseScopedKey(sessionKey) ?? { key: sessionKey };
  const readable = key
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 64);
  const hashed = hashSessionKey(sessionKey);
  if (token !== undefined) return `agent:${agentId}:${readable || "conversation"}@${token.toLowerCase()}-${hashed}`;
  return `agent:${agentId}:${readable === "" ? "" : `${readable}-`}${hashed}`;
}

/** The named token that a conversation in the gateway belongs to, in lower case as OpenClaw writes it. */
export function tokenOfGatewayKey(own: string): string | undefined {
  return /@([a-z][a-z0-9_.-]*)-[0-9a-f]{16}$/.exec(own)?.[1];
}
