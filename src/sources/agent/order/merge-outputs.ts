import type { ReplyMedia, ReplyPayload } from "../reply-backend.ts";

/** Something an agent put out, in the order it came. A `partial` is all of a message so far; later ones replace it. */
export interface AgentOutput extends ReplyPayload {
  readonly kind: "partial" | "block" | "tool" | "final";
}

export type AnswerPart = { readonly text: string } | { readonly media: ReplyMedia };

/**
 * One answer of all that was put out, in order, each thing once. Agents tell the same thing twice: block by block while
 * they write and whole at the end, with other white space; then the whole stands where its blocks began.
 */
export function mergeOutputs(outputs: readonly AgentOutput[]): readonly AnswerPart[] {
  const parts: AnswerPart[] = [];
  for (const { kind, text, media = [] } of withoutOutdatedPartials(outputs)) {
    if (text !== undefined && bare(text) !== "") addText(parts, text.trim(), kind === "final");
    for (const item of media) {
      if (!parts.some((part) => "media" in part && part.media.id === item.id)) parts.push({ media: item });
    }
  }
  return parts;
}

/** Partial texts count only where nothing finished came after them: the run broke off while writing. */
function withoutOutdatedPartials(outputs: readonly AgentOutput[]): readonly AgentOutput[] {
  const last = outputs.findLastIndex(({ kind, text }) => kind !== "partial" && kind !== "tool" && text !== undefined);
  const partial = outputs.slice(last + 1).findLast(({ kind }) => kind === "partial");
  return outputs.filter((output) => output.kind !== "partial" || output === partial);
}

function addText(parts: AnswerPart[], text: string, isFinal: boolean): void {
  if (parts.some((part) => "text" in part && bare(part.text) === bare(text))) return;
  const repeated = isFinal ? repeatedTexts(parts, text) : [];
  const [first] = repeated;
  if (first === undefined) {
    parts.push({ text });
    return;
  }
  parts[first] = { text };
  for (const index of repeated.slice(1).toReversed()) parts.splice(index, 1);
}

/** The longest run of latest texts with which the final one begins; its places. */
function repeatedTexts(parts: readonly AnswerPart[], text: string): readonly number[] {
  const whole = bare(text);
  const places = parts.flatMap((part, index) => ("text" in part ? [index] : []));
  for (let from = 0; from < places.length; from++) {
    const run = places.slice(from);
    const told = run.map((place) => bareText(parts[place])).join("");
    if (whole.startsWith(told)) return run;
  }
  return [];
}

function bareText(part: AnswerPart | undefined): string {
  return part && "text" in part ? bare(part.text) : "";
}

/** Twins differ in white space only. */
function bare(text: string): string {
  return text.replace(/\s+/g, "");
}
