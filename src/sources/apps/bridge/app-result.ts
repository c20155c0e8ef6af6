import { isRecord } from "../../../core/is-record.ts";
import { type ContentBlock, errorResult, textBlock, type ToolResult } from "../../../mcp/messages/tool.ts";

/** The MCP result for what the app sent, whether the tool succeeded or failed. */
export function readAppResult({ ok, content, error }: { ok: boolean; content: unknown; error: unknown }): ToolResult {
  if (ok) return toToolResult(content);
  return (error ?? content ?? undefined) === undefined ? failedWithoutReason : toToolError(error, content);
}

/**
 * Turns the `content` of an app's result into an MCP result. Content blocks, alone or in a whole result, are kept as they
 * are. Any other JSON becomes text, and an object also becomes structured content.
 */
export function toToolResult(content: unknown): ToolResult {
  if (content === undefined || content === null) return { content: [] };
  if (typeof content === "string") return { content: [textBlock(content)] };
  if (isBlocks(content)) return { content };
  if (!isRecord(content)) return { content: [textBlock(JSON.stringify(content))] };
  if (isBlock(content)) return { content: [content] };
  if (isWholeResult(content)) {
    const { structuredContent, isError } = content;
    return {
      content: content.content,
      ...(isRecord(structuredContent) ? { structuredContent } : {}),
      ...(isError === true ? { isError } : {}),
    };
  }
  return { content: [textBlock(JSON.stringify(content))], structuredContent: content };
}

/** Turns the `error` of an app, a string or an object that may have a message, into an MCP result. Keeps its content. */
export function toToolError(error: unknown, content: unknown): ToolResult {
  const said = errorText(error);
  const extra = toToolResult(content);
  return { ...extra, content: said === undefined ? extra.content : [textBlock(said), ...extra.content], isError: true };
}

const failedWithoutReason: ToolResult = errorResult("The app reported that the tool failed, but gave no reason.");

function errorText(error: unknown): string | undefined {
  if (error === undefined || error === null) return undefined;
  if (typeof error === "string") return error;
  if (isRecord(error) && typeof error.message === "string") return error.message;
  return JSON.stringify(error);
}

interface WholeResult extends Record<string, unknown> {
  readonly content: readonly ContentBlock[];
}

const resultKeys: ReadonlySet<string> = new Set(["content", "structuredContent", "isError", "_meta"]);

/** An object that has other fields beside those of a result is data of the app, even if one of them is `content`. */
function isWholeResult(value: Record<string, unknown>): value is WholeResult {
  const { content } = value;
  if (!Array.isArray(content) || !content.every(isBlock)) return false;
  return Object.keys(value).every((key) => resultKeys.has(key));
}

function isBlocks(value: unknown): value is readonly ContentBlock[] {
  return Array.isArray(value) && value.length > 0 && value.every(isBlock);
}

function isBlock(value: unknown): value is ContentBlock {
  if (!isRecord(value)) return false;
  switch (value.type) {
    case "text":
      return typeof value.text === "string";
    case "image":
    case "audio":
      return typeof value.data === "string" && typeof value.mimeType === "string";
    case "resource_link":
      return typeof value.uri === "string" && typeof value.name === "string";
    case "resource":
      return isRecord(value.resource) && typeof value.resource.uri === "string";
    default:
      return false;
  }
}
