import type { Tool } from "../mcp/messages/tool.ts";
import type { AdvisingSource, CatalogTool, Source, ToolSource } from "./source.ts";

/**
 * A tool for one call, which is never listed. With it the guard judges what Clawport itself does for a caller: rules,
 * approvals, limits and the audit apply as to any other tool.
 */
export function createSyntheticTool(
  sourceId: string,
  tool: Tool,
  call: ToolSource["call"],
  advising: Partial<AdvisingSource> = {},
): CatalogTool {
  const source: Source = {
    ...advising,
    id: sourceId,
    kind: "agent",
    trusted: true,
    tools: () => [tool],
    call,
    onChange: () => () => {},
    close: () => Promise.resolve(),
  };
  return { name: tool.name, source, tool, definition: tool };
}
