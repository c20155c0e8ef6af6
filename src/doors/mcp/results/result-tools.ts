import type { CallContext } from "../../../catalog/call-context.ts";
import { bytesPerToken } from "../../../core/estimate-tokens.ts";
import { countText } from "../../../core/text/count-text.ts";
import { Fault } from "../../../core/fault.ts";
import type { ReadResourceResult } from "../../../mcp/messages/resources-and-prompts.ts";
import { textBlock, type ToolResult } from "../../../mcp/messages/tool.ts";
import { readBytes, readTextLines } from "./read-text.ts";
import type { OpenedResult, ResultStore } from "./result-store.ts";
import { parseResultUri, resultUri } from "./result-uri.ts";
import { searchText } from "./search-text.ts";

/** Read without a length, a part has at most this many bytes. */
const usualBytes = 40_000;

/** What a part may have at most: the answer as a whole must stay below the limit. */
function maxBytesFor(maxTokens: number): number {
  return Math.floor(maxTokens * bytesPerToken * 0.75);
}

export interface ReadArguments {
  readonly id: string;
  readonly offset?: number;
  readonly length?: number;
  readonly fromLine?: number;
  readonly toLine?: number;
}

/** The tool `read_result`. The text is a block of its own, and what it is follows in another. */
export async function runRead(
  store: ResultStore,
  owner: string,
  args: ReadArguments,
  maxTokens: number,
): Promise<ToolResult> {
  const { fromLine, toLine } = args;
  const { id, ...address } = parseResultUri(args.id);
  const { offset = address.offset, length = address.length } = args;
  const byLine = fromLine !== undefined || toLine !== undefined;
  if (byLine && (offset ?? length) !== undefined)
    throw new Fault("bad-params", 'Use "fromLine" and "toLine", or "offset" and "length", not both.');
  await using result = await store.open(owner, id);
  const most = Math.min(length ?? usualBytes, maxBytesFor(maxTokens));
  if (!byLine) {
    const part = await readBytes(result, offset ?? 0, most);
    return partResult(
      part.text,
      `Bytes ${part.offset} to ${part.end} of ${result.bytes}.`,
      afterBytes(part.end, result),
    );
  }
  const first = fromLine ?? 1;
  if (toLine !== undefined && toLine < first) throw new Fault("bad-params", '"toLine" must not be before "fromLine".');
  const part = await readTextLines(result, first, toLine ?? result.lines, most);
  const what = `Lines ${part.firstLine} to ${part.lastLine} of ${result.lines}.`;
  if (part.isCut)
    return partResult(part.text, `${what} The line is long and was cut.`, `Continue with offset ${part.end}.`);
  return partResult(
    part.text,
    what,
    part.lastLine < result.lines ? `Continue with fromLine ${part.lastLine + 1}.` : theEnd,
  );
}

export interface SearchArguments {
  readonly id: string;
  readonly query?: string;
  readonly pattern?: string;
  readonly caseSensitive?: boolean;
  readonly context?: number;
  readonly limit?: number;
  readonly offset?: number;
}

/** The tool `search_result`. */
export async function runSearch(
  store: ResultStore,
  owner: string,
  args: SearchArguments,
  maxTokens: number,
  { signal }: Pick<CallContext, "signal">,
): Promise<ToolResult> {
  const { query, pattern, caseSensitive = false, context = 2, limit = 20, offset = 0 } = args;
  if ((query === undefined) === (pattern === undefined))
    throw new Fault("bad-params", 'Give either "query" (plain text) or "pattern" (a regular expression).');
  await using result = await store.open(owner, parseResultUri(args.id).id);
  const maxBytes = maxBytesFor(maxTokens);
  const search = { query, pattern, caseSensitive, context, limit, offset, maxBytes };
  const found = await searchText(result, search, signal);
  const where = `in ${countText(result.lines, "line")}`;
  const count =
    found.matches === 0
      ? `Nothing found ${where}`
      : `${found.matches === 1 ? "1 match" : `${found.matches} matches`} ${where}`;
  const why = found.isOutOfTime ? "The search took too long and was stopped. " : "";
  const next = found.next === undefined ? "Everything was searched." : `${why}Continue with offset ${found.next}.`;
  const note = textBlock(`[${count}. ${next}]`);
  return { content: found.text === "" ? [note] : [textBlock(found.text), note] };
}

/** `resources/read`. What follows is in `_meta`, so that the text stays as it is. */
export async function readResultResource(
  store: ResultStore,
  owner: string,
  uri: string,
  maxTokens: number,
): Promise<ReadResourceResult> {
  const { id, offset = 0, length } = parseResultUri(uri);
  await using result = await store.open(owner, id);
  const part = await readBytes(result, offset, Math.min(length ?? Infinity, maxBytesFor(maxTokens)));
  const isEnd = part.end >= result.bytes;
  const meta = {
    "clawport/offset": part.offset,
    "clawport/size": result.bytes,
    ...(isEnd ? {} : { "clawport/next": resultUri(id, part.end) }),
  };
  return { contents: [{ uri, mimeType: "text/plain", text: part.text, _meta: meta }] };
}

const theEnd = "This is the end.";

function afterBytes(end: number, { bytes }: OpenedResult): string {
  return end < bytes ? `Continue with offset ${end}.` : theEnd;
}

function partResult(text: string, what: string, next: string): ToolResult {
  return { content: [textBlock(text), textBlock(`[${what} ${next}]`)] };
}
