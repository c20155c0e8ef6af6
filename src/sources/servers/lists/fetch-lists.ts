import { Fault } from "../../../core/fault.ts";
import { type Params, RpcFault } from "../../../mcp/messages/json-rpc.ts";
import type { Prompt, Resource, ResourceTemplate } from "../../../mcp/messages/resources-and-prompts.ts";
import type { Tool } from "../../../mcp/messages/tool.ts";

/** Everything a server offers, as it lists it. */
export interface ServerLists {
  readonly tools: readonly Tool[];
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplate[];
  readonly prompts: readonly Prompt[];
}

export const noLists: ServerLists = { tools: [], resources: [], templates: [], prompts: [] };

/** No real server has more; one that seems to returns pages without end. */
const maxPages = 1000;
const maxItems = 100_000;

/** Sends one request to the server. */
export type SendListRequest = (method: string, params: Params) => Promise<Params>;

export async function fetchLists(send: SendListRequest, capabilities: Params): Promise<ServerLists> {
  const has = (name: string) => capabilities[name] !== undefined;
  const [tools, resources, templates, prompts] = await Promise.all([
    has("tools") ? fetchAll<Tool>(send, "tools/list", "tools") : [],
    has("resources") ? fetchAll<Resource>(send, "resources/list", "resources").catch(noneIfRefused) : [],
    has("resources")
      ? fetchAll<ResourceTemplate>(send, "resources/templates/list", "resourceTemplates").catch(noneIfRefused)
      : [],
    has("prompts") ? fetchAll<Prompt>(send, "prompts/list", "prompts").catch(noneIfRefused) : [],
  ]);
  return {
    tools: tools.filter(isTool),
    resources: resources.filter(hasText("uri")),
    templates: templates.filter(hasText("uriTemplate")),
    prompts: prompts.filter(hasText("name")),
  };
}

/** Many servers with resources have no templates, and some declare more than they have: they answer with an error. */
function noneIfRefused(error: unknown): never[] {
  if (error instanceof RpcFault) return [];
  throw error;
}

async function fetchAll<T>(send: SendListRequest, method: string, field: string): Promise<T[]> {
  const items: T[] = [];
  let cursor: unknown;
  for (let page = 0; page < maxPages; page++) {
    const result = await send(method, cursor === undefined ? {} : { cursor });
    const entries = result[field];
    if (!Array.isArray(entries)) throw new Fault("unavailable", `The server answered ${method} without a list.`);
    for (const item of entries) items.push(item as T);
    cursor = result.nextCursor;
    if (typeof cursor !== "string" || cursor === "") return items;
    if (items.length > maxItems) break;
  }
  throw new Fault("too-large", `The server lists too much: ${method} did not end after ${items.length} entries.`);
}

function isTool(tool: Tool): boolean {
  return hasText("name")(tool) && typeof tool.inputSchema === "object" && tool.inputSchema !== null;
}

function hasText(field: string): (item: unknown) => boolean {
  return (item) =>
    typeof item === "object" && item !== null && typeof (item as Record<string, unknown>)[field] === "string";
}
