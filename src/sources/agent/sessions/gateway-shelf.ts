import { gatewaySession } from "../gateway/gateway-session.ts";
import type { Gateway } from "../gateway/open-gateway.ts";
import type { SessionFacts, SessionShelf, SpokenMessage } from "./session-shelf.ts";

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

const mostListed = 1000;
const mostShown = 1000;

/** Conversations that OpenClaw keeps, ours and all others; those of all its agents where none is named. */
export function createGatewayShelf(gateway: Gateway, agentId: string | undefined, signal: AbortSignal): SessionShelf {
  async function rows(): Promise<readonly SessionRow[]> {
    await gateway.connected(signal);
    const params = { limit: mostListed, includeDerivedTitles: true };
    return (
      (await gateway.request<{ sessions?: readonly SessionRow[] }>("sessions.list", params, { signal })).sessions ?? []
    );
  }

  return {
    place: "openclaw",
    list: async () => (await rows()).map(factsOf),
    async find(key) {
      const found = (await rows()).find((row) => isMeant(key, row.key, agentId));
      if (found === undefined) return undefined;
      const params = { sessionKey: found.key, limit: mostShown };
      const { messages = [] } = await gateway.request<{ messages?: readonly HistoryMessage[] }>(
        "chat.history",
        params,
        {
          signal,
        },
      );
      return { ...factsOf(found), messages: messages.length, said: messages.map(spoken) };
    },
    async remove(key) {
      const found = (await rows()).find((row) => isMeant(key, row.key, agentId));
      if (found === undefined) return false;
      const params = { key: found.key, deleteTranscript: true };
      return (await gateway.request<{ deleted?: boolean }>("sessions.delete", params, { signal })).deleted === true;
    },
  };
}

/** Whether a key is OpenClaw's own for a conversation, or the one that its orders were given with. */
function isMeant(key: string, own: string, agentId: string | undefined): boolean {
  const [, ownAgent = ""] = own.split(":");
  return key === own || gatewaySession(key, agentId ?? ownAgent) === own;
}

function factsOf({ key, updatedAt, displayName, derivedTitle, label }: SessionRow): SessionFacts {
  return {
    place: "openclaw",
    key,
    updatedAt: typeof updatedAt === "number" ? new Date(updatedAt).toISOString() : undefined,
    title: label ?? derivedTitle ?? displayName,
  };
}

function spoken({ role = "unknown", content }: HistoryMessage): SpokenMessage {
  if (typeof content === "string") return { role, text: content };
  const parts: readonly unknown[] = Array.isArray(content) ? content : [];
  return { role, text: parts.map(partText).join(" ") };
}

function partText(part: unknown): string {
  const { type, text } = (part ?? {}) as { readonly type?: string; readonly text?: string };
  return typeof text === "string" ? text : `[${type ?? "something"}]`;
}
