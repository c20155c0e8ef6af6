import type { GatewayConnection } from "./open-gateway.ts";

/** A message of one of OpenClaw's conversations. */
export interface ChatMessage {
  readonly role?: string;
  readonly content?: unknown;
  readonly usage?: { readonly input?: number; readonly output?: number };
  readonly __openclaw?: { readonly runId?: string };
}

export interface ChatHistoryQuery {
  readonly sessionKey: string;
  /** How many of the latest messages. */
  readonly limit: number;
  /** Longer texts are cut by the gateway. */
  readonly maxChars?: number;
}

/** The latest messages of a conversation, oldest first. */
export async function readChatHistory(
  gateway: GatewayConnection,
  query: ChatHistoryQuery,
  signal: AbortSignal,
): Promise<readonly ChatMessage[]> {
  const { messages = [] } = await gateway.request<{ messages?: readonly ChatMessage[] }>("chat.history", query, {
    signal,
  });
  return messages;
}
