import { Fault } from "../../core/fault.ts";
import { quoted } from "../../core/text/peer-text.ts";
import type {
  ConversationPlace,
  ConversationStore,
  ConversationTranscript,
} from "../../sources/agent/conversations/conversation-store.ts";
import { openConversations } from "./open-conversations.ts";
import type { FolderContext } from "./contexts.ts";
import type { Input } from "./input.ts";
import type { asked } from "./verbs/status.ts";

/** Latest first; of one store, or of all that can be reached. */
export function listConversations(folder: FolderContext, from?: ConversationPlace) {
  return withStores(folder, from, async (stores) => {
    const lists = await Promise.all(stores.map((store) => store.list()));
    return lists.flat().toSorted((a, b) => (b.updatedAt ?? "").localeCompare(a.updatedAt ?? ""));
  });
}

export function showConversation(folder: FolderContext, { key, from }: Input<typeof asked>) {
  return withStores(folder, from, async (stores) => (await findOne(stores, key)).conversation);
}

export function removeConversation(folder: FolderContext, { key, from }: Input<typeof asked>) {
  return withStores(folder, from, async (stores) => {
    const { store, conversation } = await findOne(stores, key);
    if (!(await store.remove(conversation.key))) throw unknownConversation(conversation.key);
    return { deleted: conversation.key, place: store.place };
  });
}

/** Conversations with the configured model, and those of a running OpenClaw. */
async function withStores<T>(
  folder: FolderContext,
  from: ConversationPlace | undefined,
  work: (stores: readonly ConversationStore[]) => Promise<T>,
): Promise<T> {
  await using opened = await openConversations(folder, folder.flags ?? {});
  return await work(chooseStores(opened.stores, from));
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
