import type { CatalogTool } from "../../catalog/source.ts";
import type { Published } from "../entries/entries.ts";

/** The tool that we register with OpenClaw ourselves: `/mcp …` for agents. */
export const manageTool = "mcp_manage";

/** The answer to a command that came between two of them, or to a process without the service. */
export const notRunning =
  "The MCP servers are starting again. Try again in a moment. If that does not help, run `openclaw gateway restart`.";

/** A tool of ours by the name that OpenClaw gave it. */
export interface FoundOpenClawTool {
  readonly server: string;
  /** Undefined for what OpenClaw adds to a server itself, such as `<server>__resources_list`, and for tools that are gone. */
  readonly tool: CatalogTool | undefined;
}

/** The longest name that OpenClaw gives a tool. */
const maxNameLength = 64;

/** OpenClaw joins the key of the entry and the tool's name, replaces other characters and compares without case. */
export function openClawName(entry: string, tool: string): string {
  return `${entry}__${tool.replaceAll(/[^A-Za-z0-9_-]/g, "-")}`.slice(0, maxNameLength);
}

/** Finds the tool that OpenClaw calls by this name; undefined if it is none of ours. */
export function findOpenClawTool(
  name: string,
  published: readonly Published[],
  toolsOf: (server: string) => readonly CatalogTool[],
): FoundOpenClawTool | undefined {
  const folded = name.toLowerCase();
  const owners = published.filter(({ entry }) => folded.startsWith(`${entry.toLowerCase()}__`));
  // A key may contain `__`, too: the longest one that has the tool is meant.
  const byLength = owners.toSorted((a, b) => b.entry.length - a.entry.length);
  for (const { server, entry } of byLength) {
    const tool = toolsOf(server).find((each) => openClawName(entry, each.definition.name).toLowerCase() === folded);
    if (tool !== undefined) return { server, tool };
  }
  const [owner] = byLength;
  return owner && { server: owner.server, tool: undefined };
}
