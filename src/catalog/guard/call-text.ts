import { visibleText } from "../../core/text/peer-text.ts";
import { type NamedSecret, nameSecrets, shownLines, shownText } from "../../core/text/shown-text.ts";
import type { WaitingCall } from "./approvals-file.ts";

/** What a question says about a call. */
export type QuestionParts = Pick<
  WaitingCall,
  "name" | "source" | "caller" | "client" | "reason" | "arguments" | "detail"
>;

/** A client can call itself anything, at any length; it is no part of what runs. */
const maxClientLength = 100;

/**
 * The question for a person: who asks, for what, and why. It has everything in it that the parts have, with what does not
 * print escaped; `arguments`, `reason` and `detail` were escaped when they were made. Values of the configuration's
 * variables are shown by name.
 */
export function questionText(call: QuestionParts, secrets: readonly NamedSecret[] = []): string {
  const { name, source, reason, arguments: shown, detail } = call;
  const text = [
    `${callerText(call)} asks to use ${shownText(name)} from ${shownText(source)}.`,
    `Approval is needed because ${reason}.`,
    shown.includes("\n") ? `Arguments:\n${indented(shown)}` : `Arguments: ${shown}`,
    ...(detail === undefined ? [] : [detail]),
  ].join("\n");
  return nameSecrets(shownLines(text), secrets);
}

const indented = (rows: string): string => rows.replaceAll(/^/gm, "  ");

function callerText({ caller, client }: Pick<WaitingCall, "caller" | "client">): string {
  const { door, sender, agent, token } = caller;
  const who = [
    client && `"${visibleText(client, maxClientLength).replaceAll("\n", String.raw`\n`)}"`,
    sender && `sender ${shownText(sender)}`,
    agent && `agent ${shownText(agent)}`,
    token && `token ${shownText(token)}`,
  ];
  return `${who.filter(Boolean).join(", ") || "A caller"} (${door})`;
}

/**
 * Whole questions, by the id of their call: for people, and in this process only. `key` says which call that is: if the file
 * of the approvals is lost, its ids begin anew.
 */
export interface HeldQuestions {
  hold(id: string, key: string, question: string): void;
  get(id: string, key: string): string | undefined;
  drop(id: string): void;
}

/** Those held longest go first when it gets too much. The one that was just added always stays. */
export function createHeldQuestions(maxCharacters = 32 * 1024 * 1024): HeldQuestions {
  const held = new Map<string, { readonly key: string; readonly question: string }>();
  let characters = 0;
  function drop(id: string): void {
    characters -= held.get(id)?.question.length ?? 0;
    held.delete(id);
  }
  return {
    drop,
    get(id, key) {
      const found = held.get(id);
      return found?.key === key ? found.question : undefined;
    },
    hold(id, key, question) {
      drop(id);
      held.set(id, { key, question });
      characters += question.length;
      for (const other of held.keys()) {
        if (characters <= maxCharacters || other === id) return;
        drop(other);
      }
    },
  };
}
