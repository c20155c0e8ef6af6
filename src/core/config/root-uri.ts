import { isAbsolute } from "node:path";
import { pathToFileURL } from "node:url";

/** The URI for a folder, or a URI as it is; nothing for a path that says not where it begins. */
export function rootUri(root: string): string | undefined {
  if (isAbsolute(root)) return pathToFileURL(root).href;
  return /^[a-z][a-z\d+.-]+:/i.test(root) ? URL.parse(root)?.href : undefined;
}
