import { sanitizeLine } from "../../core/text/peer-text.ts";
import type { OpenedFolder } from "../../hub/control/folder-control.ts";
import type { ConversationPlace, ConversationSummary } from "../../sources/agent/conversations/conversation-store.ts";
import { agentOptions } from "../agent-options.ts";
import type { CommandContext } from "../command-context.ts";
import { type AnyCommand, defineCommand } from "../command.ts";
import type { OptionTable } from "../options.ts";
import { localTime } from "../output/style.ts";
import type { Column } from "../../hub/presentation/presentation.ts";

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
        await using opened = await openConversations(context);
        const found = await opened.control.conversations.list({ from: placeOf(context) });
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
        await using opened = await openConversations(context);
        const session = await opened.control.conversations.show({ key: keyOf(context), from: placeOf(context) });
        context.answerAsIs(
          session,
          session.said.map(({ role, text }) => `${role}: ${sanitizeLine(text)}`).join("\n\n"),
        );
      },
    }),
    defineCommand({
      name: "delete",
      summary: "delete a conversation; in OpenClaw its transcript too",
      args: [keyArgument],
      options,
      async run(context) {
        await using opened = await openConversations(context);
        const removed = await opened.control.conversations.remove({ key: keyOf(context), from: placeOf(context) });
        context.answer(removed, `Deleted ${sanitizeLine(removed.deleted)} (${placeNames[removed.place]}).`);
      },
    }),
  ],
};

const placeNames = { model: "model", openclaw: "OpenClaw" } as const;

const columns: readonly Column<ConversationSummary>[] = [
  { title: "STORE", text: ({ place }) => placeNames[place] },
  { title: "LAST", text: ({ updatedAt }) => (updatedAt ? localTime(updatedAt) : "") },
  { title: "MESSAGES", text: ({ messages }) => (messages === undefined ? "" : String(messages)) },
  { title: "TOKEN", text: ({ token = "" }) => token },
  { title: "KEY", text: ({ key }) => key },
];

async function openConversations(context: SessionsContext): Promise<OpenedFolder> {
  const { openFolderControl } = await import("../../hub/control/folder-control.ts");
  const { from: _, ...flags } = context.options;
  return openFolderControl(context, flags);
}

/** The parser has checked that it is one of the values. */
function placeOf({ options: { from } }: SessionsContext): ConversationPlace | undefined {
  return from as ConversationPlace | undefined;
}

function keyOf({ args: [key = ""] }: CommandContext): string {
  return key;
}
