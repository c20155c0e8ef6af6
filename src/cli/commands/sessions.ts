import { Fault } from "../../core/fault.ts";
import { quoted } from "../../core/peer-text.ts";
import { sanitizeLine } from "../../core/sanitize-text.ts";
import { openConversations } from "../../hub/open-conversations.ts";
import type {
  ConversationStore,
  ConversationSummary,
  ConversationTranscript,
} from "../../sources/agent/conversations/conversation-store.ts";
import { agentOptions } from "../agent-options.ts";
import type { CommandContext } from "../command-context.ts";
import { type AnyCommand, defineCommand } from "../command.ts";
import type { OptionTable } from "../options.ts";
import { localTime } from "../output/style.ts";
import type { Column } from "../output/table.ts";

const keyArgument = { name: "key", description: "the session key of the orders, or OpenClaw's key" } as const;

const options = {
  ...agentOptions,
  from: {
    type: "string",
    value: "<store>",
    values: ["model", "openclaw"],
    description: "only conversations from this store",
  },
} as const satisfies OptionTable;

type SessionsContext = CommandContext<typeof options>;

/** Conversations with the configured model, and those of a running OpenClaw. */
export const command: AnyCommand = {
  name: "sessions",
  summary: "list, show and delete the agent's conversations: with a model, and with a running OpenClaw",
  fallback: "list",
  examples: ["clawport sessions", "clawport sessions show work", "clawport sessions delete work --from model"],
  commands: [
    defineCommand({
      name: "list",
      summary: "list the conversations, latest first",
      options,
      async run(context) {
        await using opened = await openConversations(context, context.options);
        const lists = await Promise.all(chooseStores(opened.stores, context).map((store) => store.list()));
        const found = lists.flat().toSorted((a, b) => (b.updatedAt ?? "").localeCompare(a.updatedAt ?? ""));
        const { renderTable } = await import("../output/table.ts");
        context.answer(found, found.length === 0 ? "No conversations yet." : renderTable(found, columns, context));
      },
    }),
    defineCommand({
      name: "show",
      summary: "show the messages of a conversation",
      args: [keyArgument],
      options,
      async run(context) {
        await using opened = await openConversations(context, context.options);
        const { session } = await findOne(chooseStores(opened.stores, context), context);
        context.answer(session, session.said.map(({ role, text }) => `${role}: ${sanitizeLine(text)}`).join("\n\n"));
      },
    }),
    defineCommand({
      name: "delete",
      summary: "delete a conversation; in OpenClaw its transcript too",
      args: [keyArgument],
      options,
      async run(context) {
        await using opened = await openConversations(context, context.options);
        const { store, session } = await findOne(chooseStores(opened.stores, context), context);
        if (!(await store.remove(session.key))) throw unknownSession(session.key);
        const text = `Deleted ${sanitizeLine(session.key)} (${placeNames[store.place]}).`;
        context.answer({ deleted: session.key, place: store.place }, text);
      },
    }),
  ],
};

const placeNames = { model: "model", openclaw: "OpenClaw" } as const;

const columns: readonly Column<ConversationSummary>[] = [
  { title: "STORE", text: ({ place }) => placeNames[place] },
  { title: "LAST", text: ({ updatedAt }) => (updatedAt ? localTime(updatedAt) : "") },
  { title: "MESSAGES", text: ({ messages }) => (messages === undefined ? "" : String(messages)) },
  { title: "KEY", text: ({ key }) => key },
];

function chooseStores(stores: readonly ConversationStore[], context: SessionsContext): readonly ConversationStore[] {
  const { from } = context.options;
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
  readonly session: ConversationTranscript;
}

/** The conversation with the given key. Throws if there is none, or more than one. */
async function findOne(stores: readonly ConversationStore[], { args }: CommandContext): Promise<Found> {
  const [key = ""] = args;
  const results = await Promise.all(stores.map(async (store) => ({ store, session: await store.find(key) })));
  const [first, second] = results.flatMap(({ store, session }) => (session ? [{ store, session }] : []));
  if (first === undefined) throw unknownSession(key);
  if (second === undefined) return first;
  const message = `Both the model and OpenClaw have a conversation ${quoted(key)}. Choose one with --from.`;
  throw new Fault("usage", message);
}

function unknownSession(key: string): Fault {
  return new Fault("not-found", `There is no conversation ${quoted(key)}. Run \`clawport sessions\` to list them.`);
}
