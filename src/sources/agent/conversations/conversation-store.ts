import type { ModelMessage } from "ai";
import type { ConversationFiles, StoredConversation } from "./conversation-files.ts";

/** Where conversations are kept: by us, with a model of our own, or by OpenClaw. */
export type ConversationPlace = "model" | "openclaw";

export interface ConversationSummary {
  readonly place: ConversationPlace;
  /** As its place knows it. */
  readonly key: string;
  readonly updatedAt?: string | undefined;
  readonly messages?: number | undefined;
  readonly title?: string | undefined;
}

export interface ConversationMessage {
  readonly role: string;
  readonly text: string;
}

export interface ConversationTranscript extends ConversationSummary {
  readonly said: readonly ConversationMessage[];
}

/** The conversations of one place. */
export interface ConversationStore {
  readonly place: ConversationPlace;
  /** Latest first. */
  list(): Promise<readonly ConversationSummary[]>;
  /** By the key that orders were given with, or by the one its place knows. */
  find(key: string): Promise<ConversationTranscript | undefined>;
  /** Whether there was one. */
  remove(key: string): Promise<boolean>;
}

/** Conversations with a model of our own, in files of the state folder. */
export function createModelConversationStore(histories: ConversationFiles): ConversationStore {
  return {
    place: "model",
    list: async () => (await histories.list()).map(summaryOf),
    async find(key) {
      const found = await histories.find(key);
      return found && { ...summaryOf(found), said: found.messages.map(messageFrom) };
    },
    remove: (key) => histories.remove(key),
  };
}

function summaryOf({ sessionKey, updatedAt, messages }: StoredConversation): ConversationSummary {
  return { place: "model", key: sessionKey, updatedAt, messages: messages.length };
}

function messageFrom({ role, content }: ModelMessage): ConversationMessage {
  if (typeof content === "string") return { role, text: content };
  return { role, text: content.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join(" ") };
}
