import type { CatalogPrompt, CatalogTool, Source } from "../source.ts";

/** What a caller asks for: a tool call, or a read from a source. */
export interface Operation {
  readonly source: Source;
  /** Undefined for reads of resources and prompts. */
  readonly tool?: CatalogTool;
  /** For a read of a prompt. */
  readonly prompt?: CatalogPrompt;
  readonly args: unknown;
  /** Its name in messages and in the audit: the tool, or the method of a read. */
  readonly what: string;
}
