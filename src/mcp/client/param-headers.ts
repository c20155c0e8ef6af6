import type { Params } from "../json-rpc.ts";
import { markedParams } from "../mirrored-headers.ts";
import type { Tool } from "../tool.ts";
import { headerValue } from "./mirror-headers.ts";

/** The headers that repeat the arguments a tool marks with `x-mcp-header` (2026-07-28). */
export function paramHeaders(tool: Tool, args: Params): Record<string, string> | undefined {
  const marked = markedParams(tool.inputSchema);
  if (marked.length === 0) return undefined;
  const headers: Record<string, string> = {};
  for (const { header, path } of marked) {
    const value = path.reduce<unknown>(
      (at, key) => (typeof at === "object" && at !== null && Object.hasOwn(at, key) ? (at as Params)[key] : undefined),
      args,
    );
    const isPlain = typeof value === "string" || typeof value === "boolean" || Number.isSafeInteger(value);
    if (isPlain) headers[`mcp-param-${header.toLowerCase()}`] = headerValue(String(value));
  }
  return headers;
}
