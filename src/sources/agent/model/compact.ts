import type { ModelMessage } from "ai";

/** Roughly what a text costs; models differ, and this only decides when to sum up. */
const charactersPerToken = 4;

/** How much of the room the latest messages keep when the ones before are summed up. */
const keptShare = 0.5;

function estimateTokens(messages: readonly ModelMessage[]): number {
  return Math.ceil(JSON.stringify(messages).length / charactersPerToken);
}

export interface SplitHistory {
  readonly old: readonly ModelMessage[];
  readonly recent: readonly ModelMessage[];
}

/**
 * Parts a conversation that got too long. The cut is before a message of the user: a tool's answer without the call it
 * belongs to is refused by every provider.
 */
export function splitHistory(messages: readonly ModelMessage[], contextTokens: number): SplitHistory {
  if (estimateTokens(messages) <= contextTokens) return { old: [], recent: messages };
  let cut = messages.length;
  for (let index = messages.length - 1; index >= 0; index--) {
    const recent = messages.slice(index);
    if (estimateTokens(recent) > contextTokens * keptShare) break;
    if (messages[index]!.role === "user") cut = index;
  }
  return { old: messages.slice(0, cut), recent: messages.slice(cut) };
}

/** The summed-up part as the beginning of what goes on. */
export function withSummary(summary: string, recent: readonly ModelMessage[]): readonly ModelMessage[] {
  return [
    { role: "user", content: `[Summary of the conversation so far]\n${summary}` },
    { role: "assistant", content: "Understood." },
    ...recent,
  ];
}

export const summaryOrder =
  "Sum up the conversation above for yourself, so that you can go on with it: what the user wants, what was found and done, what is open. Names, paths and numbers exactly. No more than 500 words.";
