import { Fault } from "../../core/fault.ts";
import { quoted } from "../../core/peer-text.ts";
import type {
  ConversationPlace,
  ConversationStore,
  ConversationTranscript,
} from "../../sources/agent/conversations/conversation-store.ts";
import type { AgentFlags } from "../engine/open-agent.ts";
import type { ConversationsOptions } from "../open-conversations.ts";
import type { ConversationsControl } from "./hub-control.ts";

/** Conversations with the configured model, and those of a running OpenClaw. */
export function createConversationsControl(
  options: ConversationsOptions & { readonly flags?: AgentFlags },
): ConversationsControl {
  return {
    list: (from) =>
      withStores(from, async (stores) => {
        const lists = await Promise.all(stores.map((store) => store.list()));
        return lists.flat().toSorted((a, b) => (b.updatedAt ?? "").localeCompare(a.updatedAt ?? ""));
      }),
    show: (key, from) => withStores(from, async (stores) => (await findOne(stores, key)).conversation),
    remove: (key, from) =>
      withStores(from, async (stores) => {
        const { store, conversation } = await findOne(stores, key);
        if (!(await store.remove(conversation.key))) throw unknownConversation(conversation.key);
        return { deleted: conversation.key, place: store.place };
      }),
  };

  async function withStores<T>(
    from: ConversationPlace | undefined,
    work: (stores: readonly ConversationStore[]) => Promise<T>,
  ): Promise<T> {
    const { openConversations } = await import("../open-conversations.ts");
    await using opened = await openConversations(options, options.flags ?? {});
    return await work(chooseStores(opened.stores, from));
  }
}

function chooseStores(
  stores: readonly ConversationStore[],
  from: ConversationPlace | undefined,
): readonly ConversationStore[] {
  if (from === undefined) return stores;
  const chosen = stores.filter(({ place }) => place === from);
  if (chosen.length > 0) return chosen;
  throw new Fault(
    "unavailable",
    "OpenClaw's gateway is not running. Run `openclaw gateway` to start it, or name its address with --gateway.",
  );
}

interface Found {
  readonly store: ConversationStore;
  readonly conversation: ConversationTranscript;
}

async function findOne(stores: readonly ConversationStore[], key: string): Promise<Found> {
  const results = await Promise.all(stores.map(async (store) => ({ store, conversation: await store.find(key) })));
  const [first, second] = results.flatMap(({ store, conversation }) => (conversation ? [{ store, conversation }] : []));
  if (first === undefined) throw unknownConversation(key);
  if (second === undefined) return first;
  const message = `Both the model and OpenClaw have a conversation ${quoted(key)}. Choose one with --from.`;
  throw new Fault("usage", message);
}

function unknownConversation(key: string): Fault {
  return new Fault("not-found", `There is no conversation ${quoted(key)}. Run \`clawport sessions\` to list them.`);
}
