/** What a person or a model may be shown, and how much it matters (MCP `Annotations`). */
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
