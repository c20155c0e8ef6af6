import type { GatewayConnection } from "../../../openclaw/open-gateway.ts";
import type { ConversationMessage, ConversationStore, ConversationSummary } from "./conversation-store.ts";
import { gatewaySessionKey } from "./session-key.ts";

interface SessionRow {
  readonly key: string;
  readonly updatedAt?: number | null;
  readonly displayName?: string;
  readonly derivedTitle?: string;
  readonly label?: string;
}

interface HistoryMessage {
  readonly role?: string;
  readonly content?: unknown;
}

const maxListed = 1000;
const maxShown = 1000;

/** Conversations that OpenClaw keeps, ours and all others; those of all its agents where none is named. */
export function createGatewayConversationStore(
  gateway: GatewayConnection,
  agentId: string | undefined,
  signal: AbortSignal,
): ConversationStore {
  async function rows(): Promise<readonly SessionRow[]> {
    await gateway.connected(signal);
    const params = { limit: maxListed, includeDerivedTitles: true };
    return (
      (await gateway.request<{ sessions?: readonly SessionRow[] }>("sessions.list", params, { signal })).sessions ?? []
    );
  }

  return {
    place: "openclaw",
    list: async () => (await rows()).map(summaryOf),
    async find(key) {
      const found = (await rows()).find((row) => matchesKey(key, row.key, agentId));
      if (found === undefined) return undefined;
      const params = { sessionKey: found.key, limit: maxShown };
      const { messages = [] } = await gateway.request<{ messages?: readonly HistoryMessage[] }>(
        "chat.history",
        params,
        {
          signal,
        },
      );
      return { ...summaryOf(found), messages: messages.length, said: messages.map(messageFrom) };
    },
    async remove(key) {
      const found = (await rows()).find((row) => matchesKey(key, row.key, agentId));
      if (found === undefined) return false;
      const params = { key: found.key, deleteTranscript: true };
      return (await gateway.request<{ deleted?: boolean }>("sessions.delete", params, { signal })).deleted === true;
    },
  };
}

/** Whether a key is OpenClaw's own for a conversation, or the one that its orders were given with. */
function matchesKey(key: string, own: string, agentId: string | undefined): boolean {
  const [, ownAgent = ""] = own.split(":");
  return key === own || gatewaySessionKey(key, agentId ?? ownAgent) === own;
}

function summaryOf({ key, updatedAt, displayName, derivedTitle, label }: SessionRow): ConversationSummary {
  return {
    place: "openclaw",
    key,
    updatedAt: typeof updatedAt === "number" ? new Date(updatedAt).toISOString() : undefined,
    title: label ?? derivedTitle ?? displayName,
  };
}

function messageFrom({ role = "unknown", content }: HistoryMessage): ConversationMessage {
  if (typeof content === "string") return { role, text: content };
  const parts: readonly unknown[] = Array.isArray(content) ? content : [];
  return { role, text: parts.map(partText).join(" ") };
}

function partText(part: unknown): string {
  const { type, text } = (part ?? {}) as { readonly type?: string; readonly text?: string };
  return typeof text === "string" ? text : `[${type ?? "something"}]`;
}
