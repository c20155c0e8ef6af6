import type { ContentAnnotations, ContentBlock, Icon, ResourceContents } from "./tool.ts";

interface ResourceBase {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly annotations?: ContentAnnotations;
  readonly icons?: readonly Icon[];
  readonly _meta?: Record<string, unknown>;
}

export interface Resource extends ResourceBase {
  readonly uri: string;
  readonly size?: number;
}

export interface ResourceTemplate extends ResourceBase {
  readonly uriTemplate: string;
}

export interface ReadResourceResult {
  readonly contents: readonly ResourceContents[];
  readonly _meta?: Record<string, unknown>;
}

export interface PromptArgument {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly required?: boolean;
}

export interface Prompt {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments?: readonly PromptArgument[];
  readonly icons?: readonly Icon[];
  readonly _meta?: Record<string, unknown>;
}

export interface PromptMessage {
  readonly role: "user" | "assistant";
  readonly content: ContentBlock;
}

export interface GetPromptResult {
  readonly description?: string;
  readonly messages: readonly PromptMessage[];
  readonly _meta?: Record<string, unknown>;
}
