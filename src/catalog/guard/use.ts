import type { CatalogTool } from "../catalog-tool.ts";
import type { Source } from "../tool-source.ts";

/** What somebody wants to do: call a tool, or read from a source. */
export interface Use {
  readonly source: Source;
  /** Missing where a resource or prompt is read. */
  readonly tool?: CatalogTool;
  readonly args: unknown;
  /** What it is called in messages and in the audit. */
  readonly what: string;
}
