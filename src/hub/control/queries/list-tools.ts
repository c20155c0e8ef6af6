import type { CatalogTool } from "../../../catalog/source.ts";
import { Fault } from "../../../core/fault.ts";
import { prepareToSend } from "../../../core/http/turn-end.ts";
import type { Tool } from "../../../mcp/messages/tool.ts";
import { whyUnchecked } from "../../../mcp/schema/schema-checker.ts";
import { unknownServer } from "../../../sources/servers/definition.ts";
import type { HubContext } from "../contexts.ts";
import type { HubControl } from "../verbs.ts";

/** A tool under its name in the catalog. */
export interface ListedTool extends Tool {
  readonly source: string;
  /** Why its arguments are no longer checked against its schema; absent if they are, or were not checked yet. */
  readonly unchecked?: string;
  /** Its server judges its arguments. Otherwise those that don't fit the schema are refused. */
  readonly judgesArguments?: true;
}

export async function listTools(hub: HubContext, source?: string): Promise<readonly ListedTool[]> {
  const tools = hub.engine.catalog.tools();
  if (source === undefined) return tools.map(listedTool);
  const ids = await sourceIds(hub);
  // Each app is a source of its own; people know what their names begin with.
  const named = ids.includes(source) ? undefined : tools.filter((tool) => tool.source.prefix === source);
  if (named?.length === 0) throw unknownServer(source, ids);
  return (named ?? tools.filter((tool) => tool.source.id === source)).map(listedTool);
}

/** Those of the catalog, and the configured servers. */
export async function sourceIds({
  engine,
  servers,
}: Pick<HubContext, "engine" | "servers">): Promise<readonly string[]> {
  const names = (await servers.list()).map(({ name }) => name);
  const listed = engine.catalog.sources().filter(({ isUnlisted }) => !isUnlisted);
  return [...new Set([...listed.map(({ id }) => id), ...names])];
}

export async function findTool({ engine }: HubContext, name: string): Promise<ListedTool | undefined> {
  const found = engine.catalog.find(name);
  return found && listedTool(found);
}

export function createToolCall({ catalog, guard }: HubContext["engine"]): HubControl["tools"]["call"] {
  return async ({ name }, args, context) => {
    const tool = catalog.find(name);
    if (tool === undefined)
      throw new Fault("unknown-tool", `The tool ${name} is no longer available. List the tools again.`);
    try {
      return await guard.call(tool, args, context);
    } finally {
      // A command prints the answer at once.
      prepareToSend();
    }
  };
}

function listedTool({ name, source, tool }: CatalogTool): ListedTool {
  const unchecked = whyUnchecked(tool.inputSchema);
  return {
    ...tool,
    name,
    source: source.id,
    ...(unchecked === undefined ? {} : { unchecked }),
    ...(source.judgesArguments ? { judgesArguments: true } : {}),
  };
}
