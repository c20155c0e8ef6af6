import type { Prompt } from "../mcp/prompt.ts";
import type { Tool } from "../mcp/tool.ts";
import type { Source } from "./tool-source.ts";

/** A tool with its place in the catalog. The same object for as long as nothing about it changes. */
export interface CatalogTool {
  /** Its name in the catalog: rules, approvals and the audit go by it, whatever a view calls it. */
  readonly name: string;
  readonly source: Source;
  /** As the source lists it, and as it must be called there. */
  readonly tool: Tool;
  /** As it is shown: the same tool under the name of the catalog, or of the view it was found in. */
  readonly definition: Tool;
}

export interface CatalogPrompt {
  readonly name: string;
  readonly source: Source;
  readonly prompt: Prompt;
  readonly definition: Prompt;
}

/** The same thing under another name; schemas and all the rest stay the very objects they were. */
export function renamed<T extends { readonly name: string }>(item: T, name: string): T {
  return item.name === name ? item : { ...item, name };
}
