import type { Attributes } from "./telemetry.ts";

/** What failed if a tool's result has `isError`, as the conventions call it. */
export const toolErrorType = "tool_error";

/**
 * The name and attributes of a span for an MCP request, by OpenTelemetry's conventions for MCP. The URI of a resource is
 * no part of the name: there may be too many.
 */
export function describeMcpRequest(method: string, target: string): { name: string; attributes: Attributes } {
  const common = { "mcp.method.name": method };
  switch (method) {
    case "tools/call":
      return {
        name: `${method} ${target}`,
        attributes: { ...common, "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": target },
      };
    case "prompts/get":
      return { name: `${method} ${target}`, attributes: { ...common, "gen_ai.prompt.name": target } };
    case "resources/read":
      return { name: method, attributes: { ...common, "mcp.resource.uri": target } };
    default:
      return { name: method, attributes: common };
  }
}
