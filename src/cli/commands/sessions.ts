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

const keyArgument = {
  name: "key",
  description: "the session key of the orders, or the key that OpenClaw shows",
} as const;

const optionTable = {
  ...agentOptions,
  from: { type: "string", value: "model|openclaw", description: "only conversations that are kept there" },
} as const;

/** Conversations with a model of our own, and with an OpenClaw that runs. */
export const command: AnyCommand = {
  name: "sessions",
  summary: "the conversations of orders: with a model, and with a running OpenClaw",
  fallback: "list",
  examples: ["clawport sessions", "clawport sessions show work", "clawport sessions delete work --from model"],
  commands: [
    defineCommand({
      name: "list",
      summary: "list them, latest first, with the place where each is kept",
      options: optionTable,
      async run(context) {
        await using opened = await openConversations(context, context.options);
        const lists = await Promise.all(chooseStores(opened.shelves, context).map((shelf) => shelf.list()));
        const found = lists.flat().toSorted((a, b) => (b.updatedAt ?? "").localeCompare(a.updatedAt ?? ""));
        const { renderTable } = await import("../output/table.ts");
        const text = found.length === 0 ? "no conversations yet" : renderTable(found, columns);
        context.answer(found, text);
      },
    }),
    defineCommand({
      name: "show",
      summary: "show what was said",
      args: [keyArgument],
      options: optionTable,
      async run(context) {
        await using opened = await openConversations(context, context.options);
        const { session } = await findOne(chooseStores(opened.shelves, context), context);
        context.answer(session, session.said.map(({ role, text }) => `${role}: ${sanitizeLine(text)}`).join("\n\n"));
      },
    }),
    defineCommand({
      name: "delete",
      summary: "forget one; in OpenClaw its transcript goes too",
      args: [keyArgument],
      options: optionTable,
      async run(context) {
        await using opened = await openConversations(context, context.options);
        const { shelf, session } = await findOne(chooseStores(opened.shelves, context), context);
        if (!(await shelf.remove(session.key))) throw unknownSession(session.key);
        context.answer({ deleted: session.key, place: shelf.place }, `forgotten (${placeNames[shelf.place]})`);
      },
    }),
  ],
};

const placeNames = { model: "model", openclaw: "OpenClaw" } as const;

const columns = [
  { title: "kept by", text: ({ place }: ConversationSummary) => placeNames[place] },
  {
    title: "last",
    text: ({ updatedAt }: ConversationSummary) => (updatedAt ? new Date(updatedAt).toLocaleString("sv") : ""),
  },
  { title: "messages", text: ({ messages }: ConversationSummary) => (messages === undefined ? "" : String(messages)) },
  { title: "key", text: ({ key }: ConversationSummary) => key },
];

function chooseStores(
  shelves: readonly ConversationStore[],
  { options }: CommandContext<typeof optionTable>,
): readonly ConversationStore[] {
  const { from } = options;
  if (from === undefined) return shelves;
  const found = shelves.filter(({ place }) => place === from);
  if (found.length > 0) return found;
  if (from !== "openclaw") throw new Fault("usage", `--from is model or openclaw, not ${quoted(from)}.`);
  throw new Fault(
    "unavailable",
    'OpenClaw\'s gateway does not run. Start it with "openclaw gateway", or name it with --gateway.',
  );
}

interface Found {
  readonly shelf: ConversationStore;
  readonly session: ConversationTranscript;
}

/** The conversation of that key; faults where there is none, or one in each place. */
async function findOne(shelves: readonly ConversationStore[], { args }: CommandContext): Promise<Found> {
  const [key = ""] = args;
  const looked = await Promise.all(shelves.map(async (shelf) => ({ shelf, session: await shelf.find(key) })));
  const [first, second] = looked.flatMap(({ shelf, session }) => (session ? [{ shelf, session }] : []));
  if (first === undefined) throw unknownSession(key);
  if (second === undefined) return first;
  const message = `A model and OpenClaw both have a conversation under ${quoted(key)}: say which with --from.`;
  throw new Fault("usage", message);
}

function unknownSession(key: string): Fault {
  return new Fault("not-found", `There is no conversation under ${quoted(key)}. "clawport sessions" lists them.`);
}
