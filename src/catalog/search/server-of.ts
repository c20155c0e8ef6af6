import type { CatalogTool } from "../source.ts";

/** The server of a tool as people know it: all those behind a relay are one source. */
export function serverOf({ name, source }: CatalogTool): string {
  const hasPrefix = source.prefix !== undefined && source.prefix !== "";
  const end = hasPrefix ? -1 : name.indexOf("__");
  return end > 0 ? name.slice(0, end) : source.id;
}
