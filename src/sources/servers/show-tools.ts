import { compileGlobs } from "../../catalog/glob.ts";
import type { Tool } from "../../mcp/tool.ts";
import type { ServerDefinition } from "./definition.ts";

/** A server's tools as the configuration wants them shown, and the way back to the server's own names. */
export interface ShownTools {
  readonly tools: readonly Tool[];
  /** The tool behind a shown name, as the server lists it. */
  find(name: string): Tool | undefined;
}

export function showTools(all: readonly Tool[], rules: ServerDefinition["tools"]): ShownTools {
  const { include, exclude, rename, describe } = rules;
  const isIncluded = compileGlobs(include.length === 0 ? ["*"] : include);
  const isExcluded = compileGlobs(exclude);
  const byName = new Map<string, Tool>();
  const tools: Tool[] = [];
  for (const tool of all) {
    if (!isIncluded(tool.name) || isExcluded(tool.name)) continue;
    const name = Object.hasOwn(rename, tool.name) ? rename[tool.name]! : tool.name;
    // Two tools of one name: the first stands, as it would with the server itself.
    if (byName.has(name)) continue;
    byName.set(name, tool);
    const description = Object.hasOwn(describe, tool.name) ? describe[tool.name] : undefined;
    const isAsItWas = name === tool.name && description === undefined;
    tools.push(isAsItWas ? tool : { ...tool, name, ...(description === undefined ? {} : { description }) });
  }
  return { tools, find: (name) => byName.get(name) };
}
