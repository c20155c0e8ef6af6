import type { ModelMessage } from "../model/model-messages.ts";
import type { ConversationFiles, StoredConversation } from "./conversation-files.ts";
import { parseScopedKey } from "./session-key.ts";

/** Who keeps a conversation: we, for our own agent with a model, or OpenClaw. */
export type ConversationPlace = "model" | "openclaw";

export interface ConversationSummary {
  readonly place: ConversationPlace;
  /** As this place knows it. */
  readonly key: string;
  /** The named token whose conversation it is; undefined for the owner's. */
  readonly token?: string | undefined;
  readonly updatedAt?: string | undefined;
  readonly messages?: number | undefined;
  readonly title?: string | undefined;
}

export interface ConversationMessage {
  readonly role: string;
  readonly text: string;
}

export interface ConversationTranscript extends ConversationSummary {
  /** The messages; the name is part of the JSON output. */
  readonly said: readonly ConversationMessage[];
}

/** The conversations of one place. */
export interface ConversationStore {
  readonly place: ConversationPlace;
  /** Latest first. */
  list(): Promise<readonly ConversationSummary[]>;
  /** By the session key of the orders, or by this place's own key. */
  find(key: string): Promise<ConversationTranscript | undefined>;
  /** Whether it existed. */
  remove(key: string): Promise<boolean>;
}

/** Conversations with the model, in files of the state folder. */
export function createModelConversationStore(files: ConversationFiles): ConversationStore {
  return {
    place: "model",
    list: async () => (await files.list()).map(summaryOf),
    async find(key) {
      const found = await files.find(key);
      return found && { ...summaryOf(found), said: found.messages.map(messageFrom) };
    },
    remove: (key) => files.remove(key),
  };
}

function summaryOf({ sessionKey, updatedAt, messages }: StoredConversation): ConversationSummary {
  const token = parseScopedKey(sessionKey)?.token;
  return { place: "model", key: sessionKey, ...(token && { token }), updatedAt, messages: messages.length };
}

function messageFrom({ role, content }: ModelMessage): ConversationMessage {
  if (typeof content === "string") return { role, text: content };
  return { role, text: content.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join(" ") };
}
