import { Fault } from "../../../core/fault.ts";
import { isRecord } from "../../../core/is-record.ts";
import { stripEnvelope } from "../../../mcp/messages/envelope.ts";
import { carriedExtensions, skillsExtension } from "../../../mcp/messages/extensions.ts";
import { type Params, RpcFault } from "../../../mcp/messages/json-rpc.ts";
import type { Prompt, Resource, ResourceTemplate } from "../../../mcp/messages/resources-and-prompts.ts";
import { isSkill, type Skill } from "../../../mcp/messages/skill.ts";
import type { Tool } from "../../../mcp/messages/tool.ts";
import { measureValue } from "../../../mcp/schema/measure-value.ts";
import type { ListName } from "../../../mcp/server/offer.ts";
import { tidyPrompt, tidyResource, tidyTool } from "./tidy-definitions.ts";

/** Everything a server offers, as it lists it. */
export interface ServerLists {
  readonly tools: readonly Tool[];
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplate[];
  readonly prompts: readonly Prompt[];
  readonly skills: readonly Skill[];
}

export const noLists: ServerLists = { tools: [], resources: [], templates: [], prompts: [], skills: [] };

/** The `_meta` that came with the lists. */
export type ListMeta = Partial<Record<ListName, Params>>;

export interface FetchedLists {
  readonly lists: ServerLists;
  readonly meta: ListMeta;
}

/** No real server has more; one that seems to returns pages without end. */
const maxPages = 1000;
const maxItems = 100_000;

/** Sends one request to the server. */
export type SendListRequest = (method: string, params: Params) => Promise<Params>;

export async function fetchLists(send: SendListRequest, capabilities: Params): Promise<FetchedLists> {
  const has = (name: string) => capabilities[name] !== undefined;
  const meta: ListMeta = {};
  const hasSkills = carriedExtensions(capabilities)[skillsExtension] !== undefined;
  const [tools, resources, templates, prompts, skills] = await Promise.all([
    has("tools") ? fetchAll<Tool>(send, "tools/list", "tools", meta) : [],
    has("resources") ? fetchAll<Resource>(send, "resources/list", "resources", meta).catch(noneIfRefused) : [],
    has("resources")
      ? fetchAll<ResourceTemplate>(send, "resources/templates/list", "resourceTemplates", meta).catch(noneIfRefused)
      : [],
    has("prompts") ? fetchAll<Prompt>(send, "prompts/list", "prompts", meta).catch(noneIfRefused) : [],
    hasSkills ? fetchAll<unknown>(send, "skills/list", "skills", meta).catch(noneIfRefused) : [],
  ]);
  return {
    lists: {
      tools: tools.filter(isTool).flatMap((tool) => tidyTool(tool) ?? []),
      resources: resources.filter(hasText("uri")).map(tidyResource),
      templates: templates.filter(hasText("uriTemplate")).map(tidyResource),
      prompts: prompts.filter(hasText("name")).map(tidyPrompt),
      skills: onceEach((skills as readonly unknown[]).filter(isSkill).filter(isFlat)),
    },
    meta,
  };
}

/** Many servers with resources have no templates, and some declare more than they have: they answer with an error. */
function noneIfRefused(error: unknown): never[] {
  if (error instanceof RpcFault) return [];
  throw error;
}

/** All pages of a list. What their `_meta` says is put together: of the same key, the last page counts. */
async function fetchAll<T>(send: SendListRequest, method: string, field: ListName, meta: ListMeta): Promise<T[]> {
  const items: T[] = [];
  const cursors = new Set<unknown>();
  let cursor: unknown;
  for (let page = 0; page < maxPages; page++) {
    const result = stripEnvelope(await send(method, cursor === undefined ? {} : { cursor }));
    const entries = result[field];
    if (!Array.isArray(entries)) throw new Fault("unavailable", `The server answered ${method} without a list.`);
    for (const item of entries) items.push(item as T);
    if (isRecord(result._meta)) meta[field] = { ...meta[field], ...result._meta };
    cursor = result.nextCursor;
    // Some servers repeat the cursor of their last page.
    if (typeof cursor !== "string" || cursor === "" || cursors.has(cursor)) return items;
    cursors.add(cursor);
    if (items.length > maxItems) break;
  }
  throw new Fault("too-large", `The server lists too much: ${method} did not end after ${items.length} entries.`);
}

/** Whether lists that were stored are what `fetchLists` returns. */
export function isUsableList(value: unknown): value is ServerLists {
  if (!isRecord(value)) return false;
  const { tools, resources, templates, prompts, skills } = value;
  const areAll = (list: unknown, isGood: (item: never) => boolean) =>
    Array.isArray(list) && list.every((item) => isGood(item as never));
  return (
    areAll(tools, isTool) &&
    areAll(resources, hasText("uri")) &&
    areAll(templates, hasText("uriTemplate")) &&
    areAll(prompts, hasText("name")) &&
    areAll(skills, (skill) => isSkill(skill) && isFlat(skill))
  );
}

/** A real entry is a few levels deep. One that is thousands of levels deep can't be sent on. */
function isFlat(skill: Skill): boolean {
  return measureValue(skill, { depth: 100, nodes: Infinity }) !== "too deep";
}

/** Which of two entries describes a skill that is listed twice can't be known. */
function onceEach(skills: readonly Skill[]): readonly Skill[] {
  const counts = new Map<string, number>();
  for (const { uri } of skills) counts.set(uri, (counts.get(uri) ?? 0) + 1);
  return skills.filter(({ uri }) => counts.get(uri) === 1);
}

function isTool(tool: Tool): boolean {
  return hasText("name")(tool) && typeof tool.inputSchema === "object" && tool.inputSchema !== null;
}

function hasText(field: string): (item: unknown) => boolean {
  return (item) =>
    typeof item === "object" && item !== null && typeof (item as Record<string, unknown>)[field] === "string";
}
