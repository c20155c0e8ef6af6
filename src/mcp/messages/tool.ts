/** A JSON Schema object as a peer sent it. Check it before use. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export interface Icon {
  readonly src: string;
  readonly mimeType?: string;
  readonly sizes?: readonly string[];
  readonly theme?: "light" | "dark";
}

/** The author's hints about what a call does. Rely on them only if the source is trusted. */
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

/** The result of a call. A failed tool still returns a result, with `isError`. */
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

/** Who a content block is for, and how important it is (MCP `Annotations`). */
export interface ContentAnnotations {
  readonly audience?: readonly ("user" | "assistant")[];
  readonly priority?: number;
  readonly lastModified?: string;
}

interface BlockBase {
  readonly annotations?: ContentAnnotations;
  readonly _meta?: Record<string, unknown>;
}

export interface TextBlock extends BlockBase {
  readonly type: "text";
  readonly text: string;
}

export interface ImageBlock extends BlockBase {
  readonly type: "image";
  readonly data: string;
  readonly mimeType: string;
}

export interface AudioBlock extends BlockBase {
  readonly type: "audio";
  readonly data: string;
  readonly mimeType: string;
}

export interface ResourceContents {
  readonly uri: string;
  readonly mimeType?: string;
  readonly text?: string;
  readonly blob?: string;
  readonly _meta?: Record<string, unknown>;
}

export interface EmbeddedResourceBlock extends BlockBase {
  readonly type: "resource";
  readonly resource: ResourceContents;
}

export interface ResourceLinkBlock extends BlockBase {
  readonly type: "resource_link";
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly size?: number;
}

export type ContentBlock = TextBlock | ImageBlock | AudioBlock | EmbeddedResourceBlock | ResourceLinkBlock;

export function textBlock(text: string): TextBlock {
  return { type: "text", text };
}
