import type { ContentBlock } from "./content.ts";
import type { Icon } from "./tool.ts";

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
