import { type ChatMessage, readChatHistory } from "../../../openclaw/chat-history.ts";
import type { GatewayConnection } from "../../../openclaw/open-gateway.ts";
import type { ConversationMessage, ConversationStore, ConversationSummary } from "./conversation-store.ts";
import { gatewaySessionKey, tokenOfGatewayKey } from "./session-key.ts";

interface SessionList {
  readonly sessions?: readonly SessionRow[];
}

interface SessionRow {
  readonly key: string;
  readonly updatedAt?: number | null;
  readonly displayName?: string;
  readonly derivedTitle?: string;
  readonly label?: string;
}

const maxListed = 1000;
const maxShown = 1000;

/** The conversations that OpenClaw keeps, including those not started by us. Without an agent id, of all its agents. */
export function createGatewayConversationStore(
  gateway: GatewayConnection,
  agentId: string | undefined,
  signal: AbortSignal,
): ConversationStore {
  async function listRows(): Promise<readonly SessionRow[]> {
    await gateway.connected(signal);
    const params = { limit: maxListed, includeDerivedTitles: true };
    const { sessions = [] } = await gateway.request<SessionList>("sessions.list", params, { signal });
    return sessions;
  }

  async function findRow(key: string): Promise<SessionRow | undefined> {
    return (await listRows()).find((row) => matchesKey(key, row.key, agentId));
  }

  return {
    place: "openclaw",
    list: async () => (await listRows()).map(summaryOf),
    async find(key) {
      const found = await findRow(key);
      if (found === undefined) return undefined;
      const messages = await readChatHistory(gateway, { sessionKey: found.key, limit: maxShown }, signal);
      return { ...summaryOf(found), messages: messages.length, said: messages.map(messageFrom) };
    },
    async remove(key) {
      const found = await findRow(key);
      if (found === undefined) return false;
      const params = { key: found.key, deleteTranscript: true };
      return (await gateway.request<{ deleted?: boolean }>("sessions.delete", params, { signal })).deleted === true;
    },
  };
}

/** Whether a key is OpenClaw's own key of a conversation, or the session key of its orders. */
function matchesKey(key: string, own: string, agentId: string | undefined): boolean {
  const [, ownAgent = ""] = own.split(":");
  return key === own || gatewaySessionKey(key, agentId ?? ownAgent) === own;
}

function summaryOf({ key, updatedAt, displayName, derivedTitle, label }: SessionRow): ConversationSummary {
  const token = tokenOfGatewayKey(key);
  return {
    place: "openclaw",
    key,
    ...(token && { token }),
    updatedAt: typeof updatedAt === "number" ? new Date(updatedAt).toISOString() : undefined,
    title: label ?? derivedTitle ?? displayName,
  };
}

function messageFrom({ role = "unknown", content }: ChatMessage): ConversationMessage {
  if (typeof content === "string") return { role, text: content };
  const parts: readonly unknown[] = Array.isArray(content) ? content : [];
  return { role, text: parts.map(partText).join(" ") };
}

function partText(part: unknown): string {
  const { type, text } = (part ?? {}) as { readonly type?: string; readonly text?: string };
  return typeof text === "string" ? text : `[${type ?? "something"}]`;
}
