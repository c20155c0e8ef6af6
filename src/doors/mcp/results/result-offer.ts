import { requireDoubles } from "../../../core/exact-number.ts";
import { RequestCallContext } from "../../../catalog/call-context.ts";
import type { Caller, DoorKind } from "../../../catalog/caller.ts";
import { sameElements } from "../../../catalog/merge-sources.ts";
import { createSyntheticTool } from "../../../catalog/synthetic-tool.ts";
import type { CatalogTool } from "../../../catalog/source.ts";
import type { View } from "../../../catalog/view.ts";
import { bytesPerToken } from "../../../core/estimate-tokens.ts";
import { Fault, isFault } from "../../../core/fault.ts";
import { approximateJsonSize, isJsonLarger } from "../../../core/json-size.ts";
import type { Log } from "../../../core/log.ts";
import type { ReadResourceResult } from "../../../mcp/messages/resources-and-prompts.ts";
import type { Tool, ToolResult } from "../../../mcp/messages/tool.ts";
import type { McpOffer, RequestContext, Requester, ToolOffer } from "../../../mcp/server/offer.ts";
import { type CallerRights, type CallGuard, callerOf } from "../view-offer.ts";
import { readResult, resultTemplateEntry, searchResult } from "./result-definitions.ts";
import type { ReadArguments, SearchArguments } from "./result-tools.ts";
import { isResultUri } from "./result-uri.ts";
import type { Results } from "./results.ts";

export interface ResultOfferOptions {
  readonly results: Results;
  readonly view: View;
  readonly guard: Pick<CallGuard, "call" | "readResource">;
  readonly door: DoorKind;
  readonly rights?: CallerRights | undefined;
  readonly log: Log;
  /** Differs for two tokens of the same name, one after the other. */
  readonly tokenKey?: ((name: string) => string | undefined) | undefined;
}

/** Links to resources exist since this revision of MCP. */
const firstWithLinks = "2025-06-18";

/**
 * An offer whose large results are kept: the client gets a preview, and two tools and a resource to read the rest. What
 * they do is judged and audited like every other call, as that of the source `results`.
 */
export function offerResults(offer: McpOffer, options: ResultOfferOptions): McpOffer {
  const { results, view, guard, door, rights = {}, log } = options;
  const { tools, resources } = offer;
  if (tools === undefined || resources === undefined) return offer;
  const maxBytes = results.maxTokens * bytesPerToken;
  const read = createSyntheticTool(sourceId, readResult, async (_, args, { caller }) => {
    const { runRead } = await import("./result-tools.ts");
    const store = await results.store();
    return orElsewhere(
      readResult,
      runRead(store, ownerOf(caller), requireDoubles(args) as ReadArguments, results.maxTokens),
    );
  });
  const search = createSyntheticTool(sourceId, searchResult, async (_, args, context) => {
    const { runSearch } = await import("./result-tools.ts");
    const [store, owner] = [await results.store(), ownerOf(context.caller)];
    return orElsewhere(
      searchResult,
      runSearch(store, owner, requireDoubles(args) as SearchArguments, results.maxTokens, context),
    );
  });
  const resource = {
    ...read.source,
    resources: () => [],
    resourceTemplates: () => [],
    readResource: (uri: string, { caller }: { readonly caller: Caller }) => readKept(uri, caller),
    watchResource: () => Promise.resolve(() => {}),
  };
  const own = ownTools(tools, [read, search]);
  const lists = new WeakMap<readonly Tool[], readonly Tool[]>();
  const templates = new WeakMap<object, ReturnType<typeof resources.templates>>();
  const contextOf = (request: RequestContext) => new RequestCallContext(request, callerOf(request, door, rights), log);

  return {
    ...offer,
    tools: {
      ...tools,
      list(requester) {
        const list = tools.list(requester);
        // Where there is nothing to call, there is nothing to read.
        if (list.length === 0) return list;
        // Our names may change while the list does not: under search it has no tools of servers.
        const definitions = own.definitions(requester);
        const known = lists.get(list);
        if (known !== undefined && sameElements(known.slice(list.length), definitions)) return known;
        const longer = [...list, ...definitions];
        lists.set(list, longer);
        return longer;
      },
      find: (name, requester) => own.find(name, requester) ?? tools.find(name, requester),
      findInner: (name, requester) =>
        own.find(name, requester) ?? (tools.findInner ? tools.findInner(name, requester) : tools.find(name, requester)),
      call(tool, args, request) {
        const mine = own.of(tool);
        if (mine !== undefined) return guard.call(mine, args, contextOf(request));
        const running = tools.call(tool, args, request);
        return running instanceof Promise ? limited(running, tool, request) : limit(running, tool, request);
      },
    },
    resources: {
      ...resources,
      templates() {
        const list = resources.templates();
        const longer = templates.get(list) ?? [...list, resultTemplateEntry];
        templates.set(list, longer);
        return longer;
      },
      read: (uri, request) => (isResultUri(uri) ? readOwn(uri, request) : resources.read(uri, request)),
    },
  };

  async function limited(running: Promise<ToolResult>, tool: Tool, request: RequestContext): Promise<ToolResult> {
    const result = await running;
    return isLarge(result, maxBytes) ? keep(result, tool, request) : result;
  }

  function limit(result: ToolResult, tool: Tool, request: RequestContext): Promise<ToolResult> | ToolResult {
    return isLarge(result, maxBytes) ? keep(result, tool, request) : result;
  }

  async function keep(result: ToolResult, tool: Tool, request: RequestContext): Promise<ToolResult> {
    const caller = callerOf(request, door, rights);
    try {
      const { keepResult } = await import("./keep-result.ts");
      const kept = await keepResult(result, {
        store: await results.store(),
        owner: ownerOf(caller),
        tool,
        maxTokens: results.maxTokens,
        keepMs: results.keepMs,
        names: own.names(request),
        hasLinks: request.protocolVersion >= firstWithLinks,
      });
      const entry = kept === result ? undefined : view.find(tool.name);
      if (entry !== undefined)
        results.noteKept({ caller, tool: entry, size: approximateJsonSize(result) - approximateJsonSize(kept) });
      return kept;
    } catch (error) {
      // The tool has done its work, so its result must not be lost.
      log.warn("could not keep a large result; it is passed on whole", { tool: tool.name, error });
      return result;
    }
  }

  async function readOwn(uri: string, request: RequestContext): Promise<ReadResourceResult> {
    try {
      return await guard.readResource({ findResource: () => ({ source: resource, uri }) }, uri, contextOf(request));
    } catch (error) {
      if (!isFault(error, "not-found")) throw error;
      // A server that is a hub itself has results, too.
      if (resources!.templates().some(({ uriTemplate }) => isResultUri(uriTemplate)))
        return resources!.read(uri, request);
      throw new Fault("unknown-resource", error.message, { detail: { uri } });
    }
  }

  async function readKept(uri: string, caller: Caller): Promise<ReadResourceResult> {
    const { readResultResource } = await import("./result-tools.ts");
    return readResultResource(await results.store(), ownerOf(caller), uri, results.maxTokens);
  }

  /** A server may be a hub, whose previews name its own tools. */
  async function orElsewhere({ name }: Tool, running: Promise<ToolResult>): Promise<ToolResult> {
    try {
      return await running;
    } catch (error) {
      if (!isFault(error, "not-found")) throw error;
      const isTheirs = ({ tool }: CatalogTool) => tool.name === name || tool.name === `clawport_${name}`;
      const theirs = view.tools().filter(isTheirs).slice(0, 3);
      if (theirs.length === 0) throw error;
      const names = theirs.map(({ definition }) => definition.name).join(" or ");
      throw new Fault("not-found", `${error.message} If another hub sent the preview, use ${names}.`);
    }
  }

  function ownerOf(caller: Caller): string {
    return ownerKey(caller, options.tokenKey);
  }
}

/** Whose result or script it is, whatever the session. A client with a token is the same with and without a hub. */
export function ownerKey({ door, token, sender }: Caller, tokenKey: ResultOfferOptions["tokenKey"]): string {
  const key = token === undefined ? undefined : tokenKey?.(token);
  return JSON.stringify([key === undefined ? door : "token", token, key, sender]);
}

const sourceId = "results";
const noBlocks: ToolResult["content"] = [];

/** Whether the text of a result, or its structured content, is beyond the limit. Every call passes here. */
function isLarge({ content: given, structuredContent }: ToolResult, maxBytes: number): boolean {
  // A server may send anything.
  const content = Array.isArray(given) ? given : noBlocks;
  let characters = 0;
  for (const block of content) characters += textIn(block).length;
  // A character has 1 to 3 bytes.
  if (characters > maxBytes) return true;
  if (characters * 3 > maxBytes) {
    let bytes = 0;
    for (const block of content) bytes += Buffer.byteLength(textIn(block));
    if (bytes > maxBytes) return true;
  }
  return structuredContent !== undefined && isJsonLarger(structuredContent, maxBytes);
}

function textIn(block: ToolResult["content"][number] | undefined): string {
  const text: unknown =
    block?.type === "text" ? block.text : block?.type === "resource" ? block.resource?.text : undefined;
  return typeof text === "string" ? text : "";
}

/** A server without a prefix may be a hub behind a hub, and have the first of these names as well. */
const otherPrefixes = ["clawport_", "clawport2_", "clawport3_"];

/** Our tools under their names, or others if a server without a prefix has tools of these names. */
function ownTools(tools: ToolOffer, entries: readonly [CatalogTool, CatalogTool]) {
  const named = entries.map((entry) => {
    const others = otherPrefixes.map((prefix) => ({ ...entry.definition, name: `${prefix}${entry.name}` }));
    return { entry, variants: [entry.definition, ...others] };
  });
  const byName = new Map(named.flatMap((one) => one.variants.map(({ name }) => [name, one] as const)));
  const byDefinition = new Map(named.flatMap((one) => one.variants.map((each) => [each, one.entry] as const)));
  const shown = ({ variants }: (typeof named)[number], requester: Requester): Tool =>
    variants.find(({ name }) => tools.find(name, requester) === undefined) ?? variants.at(-1)!;
  return {
    of: (tool: Tool): CatalogTool | undefined => byDefinition.get(tool),
    find(name: string, requester: Requester): Tool | undefined {
      const one = byName.get(name);
      const definition = one && shown(one, requester);
      return definition?.name === name ? definition : undefined;
    },
    definitions: (requester: Requester): readonly Tool[] => named.map((one) => shown(one, requester)),
    names(requester: Requester) {
      const [read = "", search = ""] = named.map((one) => shown(one, requester).name);
      return { read, search };
    },
  };
}
