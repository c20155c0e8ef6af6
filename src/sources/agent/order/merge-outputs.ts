import type { ReplyMedia, ReplyPayload } from "../reply-backend.ts";

/** A piece of an agent's output. A `partial` is the whole message so far; later ones replace it. */
export interface AgentOutput extends ReplyPayload {
  readonly kind: "partial" | "block" | "tool" | "final";
}

export type AnswerPart = TextPart | { readonly media: ReplyMedia };

interface TextPart {
  readonly text: string;
  /** Whether it comes from the final reply. Its parts are never repeats of each other. */
  readonly isFinal?: boolean;
}

/**
 * Merges all outputs into one answer, in order and without repeats. Agents send the same text twice: block by block while
 * they write, and as a whole at the end with other white space. The whole text then replaces its blocks.
 */
export function mergeOutputs(outputs: readonly AgentOutput[]): readonly AnswerPart[] {
  const parts: AnswerPart[] = [];
  for (const { kind, text, media = [] } of withoutOutdatedPartials(outputs)) {
    if (text !== undefined && withoutSpace(text) !== "")
      addText(parts, { text: text.trim(), isFinal: kind === "final" });
    for (const item of media) {
      if (!parts.some((part) => "media" in part && part.media.id === item.id)) parts.push({ media: item });
    }
  }
  return parts;
}

/** A partial text counts only if no finished text followed: the run ended while the agent was writing. */
function withoutOutdatedPartials(outputs: readonly AgentOutput[]): readonly AgentOutput[] {
  const last = outputs.findLastIndex(({ kind, text }) => kind !== "partial" && kind !== "tool" && text !== undefined);
  const partial = outputs.slice(last + 1).findLast(({ kind }) => kind === "partial");
  return outputs.filter((output) => output.kind !== "partial" || output === partial);
}

function addText(parts: AnswerPart[], added: TextPart): void {
  const same = withoutSpace(added.text);
  if (parts.some((part) => isEarlierText(part) && withoutSpace(part.text) === same)) return;
  const repeated = added.isFinal ? repeatedTexts(parts, added.text) : [];
  const [first] = repeated;
  if (first === undefined) {
    parts.push(added);
    return;
  }
  parts[first] = added;
  for (const index of repeated.slice(1).toReversed()) parts.splice(index, 1);
}

/** The indexes of the longest series of latest texts that the final text begins with. */
function repeatedTexts(parts: readonly AnswerPart[], text: string): readonly number[] {
  const final = withoutSpace(text);
  const indexes = parts.flatMap((part, index) => (isEarlierText(part) ? [index] : []));
  for (let from = 0; from < indexes.length; from++) {
    const run = indexes.slice(from);
    const series = run.map((index) => textWithoutSpace(parts[index])).join("");
    if (final.startsWith(series)) return run;
  }
  return [];
}

/** Whether a part is a text from before the final reply. */
function isEarlierText(part: AnswerPart): part is TextPart {
  return "text" in part && part.isFinal !== true;
}

function textWithoutSpace(part: AnswerPart | undefined): string {
  return part && "text" in part ? withoutSpace(part.text) : "";
}

/** Texts are the same if they differ in white space only. */
function withoutSpace(text: string): string {
  return text.replace(/\s+/g, "");
}
