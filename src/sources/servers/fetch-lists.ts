import { Fault } from "../../core/fault.ts";
import type { McpClient } from "../../mcp/client/client.ts";
import type { Params } from "../../mcp/json-rpc.ts";
import type { Prompt } from "../../mcp/prompt.ts";
import type { Resource, ResourceTemplate } from "../../mcp/resource.ts";
import type { Tool } from "../../mcp/tool.ts";

/** Everything a server offers, as it says it. */
export interface ServerLists {
  readonly tools: readonly Tool[];
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplate[];
  readonly prompts: readonly Prompt[];
}

export const noLists: ServerLists = { tools: [], resources: [], templates: [], prompts: [] };

/** No server has more; one that seems to is handing out pages for ever. */
const mostPages = 1000;
const mostItems = 100_000;

export async function fetchLists(client: McpClient, timeoutMs: number, signal: AbortSignal): Promise<ServerLists> {
  const capabilities: Params = client.agreement?.capabilities ?? {};
  const list = <T>(method: string, field: string) => fetchAll<T>(client, method, field, timeoutMs, signal);
  const has = (name: string) => capabilities[name] !== undefined;
  const [tools, resources, templates, prompts] = await Promise.all([
    has("tools") ? list<Tool>("tools/list", "tools") : [],
    has("resources") ? list<Resource>("resources/list", "resources") : [],
    // Many servers with resources have no templates and say so with an error.
    has("resources") ? list<ResourceTemplate>("resources/templates/list", "resourceTemplates").catch(() => []) : [],
    has("prompts") ? list<Prompt>("prompts/list", "prompts") : [],
  ]);
  return {
    tools: tools.filter(isTool),
    resources: resources.filter(hasText("uri")),
    templates: templates.filter(hasText("uriTemplate")),
    prompts: prompts.filter(hasText("name")),
  };
}

async function fetchAll<T>(
  client: McpClient,
  method: string,
  field: string,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<T[]> {
  const items: T[] = [];
  let cursor: unknown;
  for (let page = 0; page < mostPages; page++) {
    const result = await client.request(method, cursor === undefined ? {} : { cursor }, { timeoutMs, signal });
    const found = result[field];
    if (!Array.isArray(found)) throw new Fault("unavailable", `The server answered ${method} without a list.`);
    for (const item of found) items.push(item as T);
    cursor = result.nextCursor;
    if (typeof cursor !== "string" || cursor === "") return items;
    if (items.length > mostItems) break;
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
