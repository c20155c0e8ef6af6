import { asRecord, isRecord } from "../../core/is-record.ts";
import type { Params } from "./json-rpc.ts";

/** MCP Apps: a tool names a page that shows its result. */
export const uiExtension = "io.modelcontextprotocol/ui";

/** Skills (SEP-2640): instructions for an agent, with their files, as resources. */
export const skillsExtension = "io.modelcontextprotocol/skills";

/** Extensions by their identifier, with their settings. */
export type Extensions = Readonly<Record<string, Params>>;

/** The extensions that a hub can carry between a client and a server. The tasks extension is a matter of each side. */
const carried = [uiExtension, skillsExtension] as const;

/** Settings are a few fields. Longer ones count as none. */
const maxSettingsLength = 10_000;

/** What the hub says of itself to servers: it carries pages to clients that show them. */
export const hubExtensions: Extensions = { [uiExtension]: { mimeTypes: ["text/html;profile=mcp-app"] } };

/** The extensions in a peer's capabilities that a hub can carry. */
export function carriedExtensions(capabilities: Params): Extensions {
  const declared = asRecord(capabilities.extensions);
  const found: Record<string, Params> = {};
  for (const id of carried) {
    const settings = Object.hasOwn(declared, id) ? declared[id] : undefined;
    if (isRecord(settings)) found[id] = JSON.stringify(settings).length > maxSettingsLength ? {} : settings;
  }
  return found;
}

/** The extensions of several servers as those of one: lists are joined, and a feature of one is there. */
export function mergeExtensions(all: Iterable<Extensions>): Extensions {
  const merged: Record<string, Record<string, unknown>> = {};
  for (const extensions of all) {
    for (const [id, settings] of Object.entries(extensions)) {
      const known = (merged[id] ??= {});
      for (const [key, value] of Object.entries(settings)) known[key] = mergeSetting(known[key], value);
    }
  }
  return merged;
}

function mergeSetting(one: unknown, other: unknown): unknown {
  if (Array.isArray(one) && Array.isArray(other)) return [...new Set<unknown>([...one, ...other])];
  return one === undefined || one === false ? other : one;
}
