import { bytesPerToken, tokensOfSize } from "../../../core/estimate-tokens.ts";
import { countText } from "../../../core/text/count-text.ts";
import { endOfCharacters } from "./read-text.ts";
import type { KeptResult } from "./result-store.ts";
import { resultUri } from "./result-uri.ts";

export interface PreviewOptions {
  readonly kept: KeptResult;
  readonly toolName: string;
  readonly keptFor: string;
  readonly maxTokens: number;
  readonly names: { readonly read: string; readonly search: string };
}

/** The beginning and the end of a text in bytes, if the limit is not very low. */
const [maxHead, maxTail] = [6000, 2000];

/** What a client gets instead of the text: what it is, how to read the rest, its beginning and its end. */
export function previewOf(text: string, options: PreviewOptions): string {
  const { kept, toolName, keptFor, maxTokens, names } = options;
  const { id, bytes, lines } = kept;
  const scale = Math.min(1, (maxTokens * bytesPerToken) / (4 * (maxHead + maxTail)));
  const head = headOf(text, Math.floor(maxHead * scale));
  const tail = tailOf(text, Math.floor(maxTail * scale));
  const left = bytes - Buffer.byteLength(head) - Buffer.byteLength(tail);
  const headLines = head.endsWith("\n") ? countFeeds(head) : undefined;
  const next = headLines === undefined ? `"offset": ${Buffer.byteLength(head)}` : `"fromLine": ${headLines + 1}`;
  const intro = [
    `[The result of ${toolName} is too long to send at once: ${countText(bytes, "byte")} in ${countText(lines, "line")},`,
    `about ${tokensOfSize(bytes)} tokens, where ${maxTokens} are allowed.`,
    `Clawport keeps it for ${keptFor} as ${resultUri(id)}.`,
    `Read on with ${names.read} {"id": "${id}", ${next}},`,
    `or find something in it with ${names.search} {"id": "${id}", "query": "…"}.`,
    "Its beginning and its end follow.]",
  ].join(" ");
  return `${intro}\n\n${head}\n[… ${countText(left, "byte")} left out …]\n${tail}`;
}

/** Whole lines, unless the first one is long. */
function headOf(text: string, length: number): string {
  const bytes = Buffer.from(text.slice(0, length)).subarray(0, length);
  const head = bytes.toString("utf8", 0, endOfCharacters(bytes));
  const feed = head.lastIndexOf("\n");
  return feed > head.length / 2 ? head.slice(0, feed + 1) : head;
}

function tailOf(text: string, length: number): string {
  const bytes = Buffer.from(text.slice(-length));
  // A character that is cut off at the beginning shows as U+FFFD.
  const tail = bytes
    .subarray(-length)
    .toString("utf8")
    .replace(/^\uFFFD+/, "");
  const feed = tail.indexOf("\n");
  return feed !== -1 && feed < tail.length / 2 ? tail.slice(feed + 1) : tail;
}

function countFeeds(text: string): number {
  return text.split("\n").length - 1;
}
