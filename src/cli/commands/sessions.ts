import type { ModelMessage } from "ai";
import { Fault } from "../../core/fault.ts";
import type { Conversation, Histories } from "../../sources/agent/model/history.ts";
import type { AnyCommand } from "../command.ts";
import { defineCommand } from "../command.ts";
import type { CommandContext } from "../command-context.ts";
import { plainText } from "../output/plain-text.ts";

const keyArgument = { name: "key", description: "the session key the conversation was held under" } as const;

/** Conversations with a model of our own. Those with OpenClaw are kept by OpenClaw: `openclaw sessions`. */
export const command: AnyCommand = {
  name: "sessions",
  summary: "conversations that a model has taken part in; OpenClaw lists its own with `openclaw sessions`",
  fallback: "list",
  examples: ["clawport sessions", "clawport sessions show work", "clawport sessions delete work"],
  commands: [
    defineCommand({
      name: "list",
      summary: "list them, latest first",
      async run(context) {
        const found = await (await historiesOf(context)).list();
        const data = found.map(({ messages, ...facts }) => ({ ...facts, messages: messages.length }));
        context.answer(data, found.length === 0 ? "no conversations yet" : found.map(listLine).join("\n"));
      },
    }),
    defineCommand({
      name: "show",
      summary: "show what was said",
      args: [keyArgument],
      async run(context) {
        const found = await (await historiesOf(context)).find(context.args[0] ?? "");
        if (found === undefined) throw unknownSession(context.args[0]);
        context.answer(found, found.messages.map(messageText).join("\n\n"));
      },
    }),
    defineCommand({
      name: "delete",
      summary: "forget one",
      args: [keyArgument],
      async run(context) {
        const isGone = await (await historiesOf(context)).remove(context.args[0] ?? "");
        if (!isGone) throw unknownSession(context.args[0]);
        context.answer({ deleted: context.args[0] }, "forgotten");
      },
    }),
  ],
};

async function historiesOf(context: CommandContext): Promise<Histories> {
  const { openHomeOf } = await import("../open-home.ts");
  const { openHistories } = await import("../../sources/agent/model/history.ts");
  return openHistories((await openHomeOf(context)).file("agent", "sessions"));
}

function unknownSession(key: string | undefined): Fault {
  return new Fault(
    "not-found",
    `There is no conversation under ${JSON.stringify(key ?? "")}. "clawport sessions" lists them.`,
  );
}

function listLine({ sessionKey, updatedAt, messages }: Conversation): string {
  return `${new Date(updatedAt).toLocaleString("sv")}  ${String(messages.length).padStart(4)} messages  ${plainText(sessionKey)}`;
}

function messageText({ role, content }: ModelMessage): string {
  if (typeof content === "string") return `${role}: ${plainText(content)}`;
  const parts = content.map((part) => (part.type === "text" ? part.text : `[${part.type}]`));
  return `${role}: ${plainText(parts.join(" "))}`;
}
