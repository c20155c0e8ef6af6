import type { CatalogTool } from "../source.ts";

/** The server of a tool as people know it: all those behind a relay are one source. */
export function serverOf({ name, source }: CatalogTool): string {
  const end = source.prefix === "" ? name.indexOf("__") : -1;
  return end > 0 ? name.slice(0, end) : source.id;
}
