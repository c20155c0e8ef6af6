import type { Catalog } from "../../catalog/catalog.ts";
import type { ServerInfo } from "../../mcp/offer.ts";

/** What `GET /` says to a person who looks whether the hub is there. */
export function probeText(info: ServerInfo, catalog: Catalog): string {
  const sources = catalog.sources().map((source) => `  ${source.id}: ${source.tools().length} tools`);
  return [
    `${info.title ?? info.name} ${info.version} is here.`,
    `${catalog.tools().length} tools from ${sources.length} sources${sources.length > 0 ? ":" : "."}`,
    ...sources,
    "",
    "MCP clients send POST requests to this address, or to /mcp; one source alone is at /mcp/<source>.",
    "",
  ].join("\n");
}
