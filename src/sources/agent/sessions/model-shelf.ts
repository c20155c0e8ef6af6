import type { ModelMessage } from "ai";
import type { Conversation, Histories } from "../model/history.ts";
import type { SessionFacts, SessionShelf, SpokenMessage } from "./session-shelf.ts";

/** Conversations with a model of our own, in files of the state folder. */
export function createModelShelf(histories: Histories): SessionShelf {
  return {
    place: "model",
    list: async () => (await histories.list()).map(factsOf),
    async find(key) {
      const found = await histories.find(key);
      return found && { ...factsOf(found), said: found.messages.map(spoken) };
    },
    remove: (key) => histories.remove(key),
  };
}

function factsOf({ sessionKey, updatedAt, messages }: Conversation): SessionFacts {
  return { place: "model", key: sessionKey, updatedAt, messages: messages.length };
}

function spoken({ role, content }: ModelMessage): SpokenMessage {
  if (typeof content === "string") return { role, text: content };
  return { role, text: content.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join(" ") };
}
