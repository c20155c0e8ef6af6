import { Fault } from "../../../core/fault.ts";
import { type Params, RpcFault } from "../../../mcp/messages/json-rpc.ts";
import type { Prompt, Resource, ResourceTemplate } from "../../../mcp/messages/resources-and-prompts.ts";
import type { Tool } from "../../../mcp/messages/tool.ts";

/** Everything a server offers, as it says it. */
export interface ServerLists {
  readonly tools: readonly Tool[];
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplate[];
  readonly prompts: readonly Prompt[];
}

export const noLists: ServerLists = { tools: [], resources: [], templates: [], prompts: [] };

/** No server has more; one that seems to is handing out pages for ever. */
const maxPages = 1000;
const maxItems = 100_000;

/** Sends one request to the server. */
export type SendListRequest = (method: string, params: Params) => Promise<Params>;

export async function fetchLists(ask: SendListRequest, capabilities: Params): Promise<ServerLists> {
  const has = (name: string) => capabilities[name] !== undefined;
  const [tools, resources, templates, prompts] = await Promise.all([
    has("tools") ? fetchAll<Tool>(ask, "tools/list", "tools") : [],
    has("resources") ? fetchAll<Resource>(ask, "resources/list", "resources").catch(noneIfRefused) : [],
    has("resources")
      ? fetchAll<ResourceTemplate>(ask, "resources/templates/list", "resourceTemplates").catch(noneIfRefused)
      : [],
    has("prompts") ? fetchAll<Prompt>(ask, "prompts/list", "prompts").catch(noneIfRefused) : [],
  ]);
  return {
    tools: tools.filter(isTool),
    resources: resources.filter(hasText("uri")),
    templates: templates.filter(hasText("uriTemplate")),
    prompts: prompts.filter(hasText("name")),
  };
}

/** Many servers with resources have no templates, and some declare more than they have: they say so with an error. */
function noneIfRefused(error: unknown): never[] {
  if (error instanceof RpcFault) return [];
  throw error;
}

async function fetchAll<T>(ask: SendListRequest, method: string, field: string): Promise<T[]> {
  const items: T[] = [];
  let cursor: unknown;
  for (let page = 0; page < maxPages; page++) {
    const result = await ask(method, cursor === undefined ? {} : { cursor });
    const found = result[field];
    if (!Array.isArray(found)) throw new Fault("unavailable", `The server answered ${method} without a list.`);
    for (const item of found) items.push(item as T);
    cursor = result.nextCursor;
    if (typeof cursor !== "string" || cursor === "") return items;
    if (items.length > maxItems) break;
  }
  throw new Fault(
    "too-large",
    `The server lists more than can be taken: ${items.length} entries and no end of ${method}.`,
  );
}

function isTool(tool: Tool): boolean {
  return hasText("name")(tool) && typeof tool.inputSchema === "object" && tool.inputSchema !== null;
}

function hasText(field: string): (item: unknown) => boolean {
  return (item) =>
    typeof item === "object" && item !== null && typeof (item as Record<string, unknown>)[field] === "string";
}
