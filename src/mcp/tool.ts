import type { ContentBlock } from "./content.ts";
import { textBlock } from "./content.ts";

/** A JSON Schema object as it travels: kept untouched, checked before use. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export interface Icon {
  readonly src: string;
  readonly mimeType?: string;
  readonly sizes?: readonly string[];
  readonly theme?: "light" | "dark";
}

/** Hints of the tool's maker about what a call does. They come from outside: only a trusted source's count as facts. */
export interface ToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** A tool as MCP describes it. */
export interface Tool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly annotations?: ToolAnnotations;
  readonly icons?: readonly Icon[];
  readonly execution?: Readonly<Record<string, unknown>>;
  readonly _meta?: Record<string, unknown>;
}

/** The answer of a call. A tool that failed says so with `isError`; it is still an answer. */
export interface ToolResult {
  readonly content: readonly ContentBlock[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly _meta?: Record<string, unknown>;
}

export function textResult(text: string): ToolResult {
  return { content: [textBlock(text)] };
}

export function errorResult(text: string): ToolResult {
  return { content: [textBlock(text)], isError: true };
}
