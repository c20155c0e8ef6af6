import { isDeepStrictEqual } from "node:util";
import { parseJson } from "../../../core/json.ts";
import { bytesPerToken, estimateTokens } from "../../../core/estimate-tokens.ts";
import { isRecord } from "../../../core/is-record.ts";
import { isJsonLarger, isNotedLarge } from "../../../core/json-size.ts";
import { createTurns, inSlices, maxAtOnce, type SlicedWork } from "../../../core/slices/in-slices.ts";
import { parseJsonInSlices } from "../../../core/slices/parse-json.ts";
import { writeJsonInSlices } from "../../../core/slices/write-json.ts";
import type { ContentBlock, TextBlock, Tool, ToolResult } from "../../../mcp/messages/tool.ts";
import { textBlock } from "../../../mcp/messages/tool.ts";
import { createSchemaChecker } from "../../../mcp/schema/schema-checker.ts";
import { previewOf } from "./preview.ts";
import { type KeptResult, type ResultStore } from "./result-store.ts";
import { resultUri } from "./result-uri.ts";
import { spanText } from "../../../core/text/span-text.ts";

export interface KeepOptions {
  readonly store: ResultStore;
  readonly owner: string;
  readonly tool: Tool;
  readonly maxTokens: number;
  readonly keepMs: number;
  /** What the tools are called that read and search. */
  readonly names: { readonly read: string; readonly search: string };
  /** Whether the client's protocol has links to resources. */
  readonly hasLinks: boolean;
}

/**
 * A large result as the client gets it: its text is kept, and a preview and a link take its place. Blocks without text
 * stay. Structured content goes, unless the tool declares its schema: then it must stay valid, so only its long strings
 * are shortened, and if that is not enough it stays whole.
 */
export async function keepResult(result: ToolResult, options: KeepOptions): Promise<ToolResult> {
  const { store, owner, tool, maxTokens } = options;
  const { content: given, structuredContent, ...others } = result;
  const content = Array.isArray(given) ? given : [];
  const texts = content.flatMap((block) => textOf(block) ?? []);
  const isTextLarge = areLong(texts, maxTokens);
  const structured = await judgeStructured(result, options);
  if (!isTextLarge && (structured === "none" || structured === "whole")) return result;

  const parts = isTextLarge ? texts : [];
  const isExtra =
    (structured === "drop" || structured === "shorten") &&
    !(await inSlices(isSaidBy(parts, structuredContent))) &&
    !(structured === "shorten" && areLongSaidBy(parts, structuredContent));
  const document = joinParts([...parts, ...(isExtra ? [await structuredPart(structuredContent)] : [])]);
  const kept = await store.put(owner, document);
  if (kept === undefined) return result;

  const preview = previewOf(document, { ...options, kept, toolName: tool.name, keptFor: spanText(options.keepMs) });
  const rest = isTextLarge ? content.filter((block) => textOf(block) === undefined) : content;
  const blocks = [previewBlock(content, isTextLarge, preview), ...(options.hasLinks ? [linkTo(kept, tool)] : [])];
  const shownStructure =
    structured === "shorten" ? shortenStrings(structuredContent, noteIn(kept.id, options)) : structuredContent;
  return {
    ...others,
    content: isTextLarge ? [...blocks, ...rest] : [...rest, ...blocks],
    ...(structuredContent === undefined || structured === "drop" ? {} : { structuredContent: shownStructure }),
  };
}

type Structured = "none" | "drop" | "shorten" | "whole";

async function judgeStructured({ structuredContent, isError }: ToolResult, options: KeepOptions): Promise<Structured> {
  const { tool, maxTokens } = options;
  const maxBytes = maxTokens * bytesPerToken;
  if (structuredContent === undefined || !isJsonLarger(structuredContent, maxBytes)) return "none";
  if (tool.outputSchema === undefined || isError === true) return "drop";
  if (isLongShortened(structuredContent, maxBytes)) return "whole";
  const short = shortenStrings(structuredContent, noteIn("x".repeat(42), options));
  if (isJsonLarger(short, maxBytes)) return "whole";
  return (await checker.check(tool.outputSchema, short)).ok ? "shorten" : "whole";
}

const checker = createSchemaChecker();

/** A character has a byte at least, so most texts need not be measured. */
function areLong(texts: readonly TextPart[], maxTokens: number): boolean {
  const chars = texts.reduce((sum, { text }) => sum + text.length, 0);
  if (chars > maxTokens * bytesPerToken) return true;
  return texts.reduce((sum, { text }) => sum + estimateTokens(text), 0) > maxTokens;
}

interface TextPart {
  readonly text: string;
  /** What it is, if there are several. */
  readonly title: string;
}

/** A server may send anything as a block. */
function textOf(block: ContentBlock | undefined): TextPart | undefined {
  const holder: unknown = block?.type === "resource" ? block.resource : block?.type === "text" ? block : undefined;
  const { text, uri } = isRecord(holder) ? holder : {};
  return typeof text === "string" ? { text, title: typeof uri === "string" ? uri : "text" } : undefined;
}

/** One part is kept as it is. Several are joined, each under a line that says what it is. */
function joinParts(parts: readonly TextPart[]): string {
  const [first, ...more] = parts;
  if (first !== undefined && more.length === 0) return first.text;
  return parts
    .map(
      ({ text, title }, index) =>
        `--- part ${index + 1} of ${parts.length}: ${title.slice(0, 500).toWellFormed()} ---\n${text}`,
    )
    .join("\n");
}

async function structuredPart(value: unknown): Promise<TextPart> {
  const pieces: string[] = [];
  const turns = createTurns();
  for (const piece of writeJsonInSlices(value, { indent: 1 })) {
    pieces.push(piece);
    if (turns.isOver()) await turns.next();
  }
  return { text: pieces.join(""), title: "structured content" };
}

/**
 * MCP asks servers to send structured content as text, too. Some wrap a plain text (`{result: text}`), and some send a list
 * (`{result: [...]}`) as a block for each item.
 */
function* isSaidBy(parts: readonly TextPart[], value: unknown): SlicedWork<boolean> {
  const wrapped = isRecord(value) && Object.keys(value).length === 1 ? Object.values(value)[0] : undefined;
  for (const part of parts) if (yield* says(part, value, wrapped)) return true;
  if (!Array.isArray(wrapped) || wrapped.length !== parts.length) return false;
  for (const [index, part] of parts.entries()) if (!(yield* says(part, wrapped[index]))) return false;
  return parts.length > 0;
}

/** Whether it is one of these values. */
function* says({ text }: TextPart, ...values: readonly unknown[]): SlicedWork<boolean> {
  yield;
  if (values.includes(text)) return true;
  try {
    const isLong = text.length > maxAtOnce && /^\s*[[{]/.test(text);
    const parsed = isLong ? yield* parseJsonInSlices(text) : parseJson(text);
    for (const value of values) if (yield* isSameInSlices(parsed, value)) return true;
  } catch {
    // Not JSON.
  }
  return false;
}

/** What was read in slices is compared item by item, the rest at once. */
function* isSameInSlices(one: unknown, other: unknown): SlicedWork<boolean> {
  const open = [[one, other]];
  for (let pair = open.pop(); pair; pair = open.pop()) {
    const [a, b] = pair;
    if (!isLarge(a) || !isLarge(b)) {
      if (!isDeepStrictEqual(a, b)) return false;
    } else if (Array.isArray(a) && Array.isArray(b)) {
      if (a.length !== b.length) return false;
      for (let at = 0; at < a.length; at++) open.push([a[at], b[at]]);
    } else if (isRecord(a) && isRecord(b)) {
      const keys = Object.keys(a);
      if (keys.length !== Object.keys(b).length || !keys.every((key) => Object.hasOwn(b, key))) return false;
      for (const key of keys) open.push([a[key], b[key]]);
    } else return false;
    yield;
  }
  return true;
}

const isLarge = (value: unknown): boolean => typeof value === "object" && value !== null && isNotedLarge(value);

/** Whether the texts have every string that is shortened. The rest of the structured content is sent. */
function areLongSaidBy(parts: readonly TextPart[], value: unknown): boolean {
  const texts = new Set(parts.map(({ text }) => text));
  const isSaid = (item: unknown): boolean => {
    if (typeof item === "string") return item.length <= maxStringLength || texts.has(item);
    return typeof item !== "object" || item === null || Object.values(item).every(isSaid);
  };
  return isSaid(value);
}

/** A text block that stands for the only one keeps what was said about it. */
function previewBlock(content: readonly ContentBlock[], isTextLarge: boolean, text: string): TextBlock {
  const [only, ...more] = content.filter((block) => textOf(block) !== undefined);
  return isTextLarge && only?.type === "text" && more.length === 0 ? { ...only, text } : textBlock(text);
}

function linkTo({ id, bytes }: KeptResult, { name }: Tool): ContentBlock {
  return {
    type: "resource_link",
    uri: resultUri(id),
    name: `result of ${name}`,
    description: "The whole text. Read a part of it with ?offset=<byte>&length=<bytes>.",
    mimeType: "text/plain",
    size: bytes,
  };
}

/** Longer strings of structured content are shortened. */
const maxStringLength = 4000;
const [keptHead, keptTail] = [1500, 500];

function noteIn(id: string, { names }: KeepOptions): string {
  return ` […left out; the whole is at ${resultUri(id)}, read it with ${names.read}…] `;
}

/** Whether a value is longer than that even with its strings shortened. Ends as soon as it is. */
function isLongShortened(value: unknown, maxBytes: number): boolean {
  let size = 0;
  const open: unknown[] = [value];
  while (open.length > 0 && size <= maxBytes) {
    const next = open.pop();
    size += typeof next !== "string" ? 1 : next.length <= maxStringLength ? next.length : keptHead + keptTail;
    if (Array.isArray(next) || isRecord(next)) for (const item of Object.values(next)) open.push(item);
  }
  return size > maxBytes;
}

/** Only strings: a list with fewer items would be wrong, and nothing in it could say so. */
function shortenStrings(value: unknown, note: string): unknown {
  if (typeof value === "string")
    return value.length <= maxStringLength
      ? value
      : // Half a character at a cut would not be valid text.
        `${value.slice(0, keptHead)}${note}${value.slice(-keptTail)}`.toWellFormed();
  if (Array.isArray(value)) return value.map((item) => shortenStrings(item, note));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shortenStrings(item, note)]));
}
