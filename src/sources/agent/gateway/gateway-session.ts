import { hashSessionKey } from "../session-key.ts";

/**
 * The key of a conversation inside the gateway. OpenClaw reads keys without regard to case and gives parts between colons
 * a meaning of their own: keys that it could mistake for each other are told apart by their hash.
 */
export function gatewaySession(sessionKey: string, agentId: string): string {
  if (/^[a-z0-9][a-z0-9_.@+-]*$/.test(sessionKey)) return `agent:${agentId}:${sessionKey}`;
  const readable = sessionKey
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 64);
  return `agent:${agentId}:${readable === "" ? "" : `${readable}-`}${hashSessionKey(sessionKey)}`;
}
