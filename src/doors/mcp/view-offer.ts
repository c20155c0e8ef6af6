import { type CallContext, RequestCallContext } from "../../catalog/call-context.ts";
import type { Caller, DoorKind } from "../../catalog/caller.ts";
import { faultFromResult, type Guard } from "../../catalog/guard/guard.ts";
import { qualifySkill } from "../../catalog/resources/show-skills.ts";
import type { CatalogTool, Connecting } from "../../catalog/source.ts";
import type { View } from "../../catalog/view.ts";
import { Fault } from "../../core/fault.ts";
import type { Log } from "../../core/log.ts";
import { describeMcpRequest, toolErrorType } from "../../core/telemetry/mcp-span.ts";
import { noTelemetry, type Span, type Telemetry } from "../../core/telemetry/telemetry.ts";
import type { GetPromptResult, ReadResourceResult } from "../../mcp/messages/resources-and-prompts.ts";
import { orAborted, settledWithin } from "../../core/wait.ts";
import type { GetSkillResult, ReadDirectoryResult } from "../../mcp/messages/skill.ts";
import type { Tool, ToolResult } from "../../mcp/messages/tool.ts";
import type { McpOffer, OfferChange, RequestContext, ServerInfo } from "../../mcp/server/offer.ts";
import { detachAfter } from "../../mcp/server/tasks.ts";

/** The part of the guard that a door uses. */
export type CallGuard = Pick<
  Guard,
  "call" | "readResource" | "watchResource" | "getPrompt" | "complete" | "getSkill" | "readDirectory"
>;

export interface ViewOfferOptions {
  readonly view: View;
  readonly guard: CallGuard & Partial<Pick<Guard, "noteRefused">>;
  readonly door: DoorKind;
  /** What is true of all callers of this endpoint; nothing unless given. */
  readonly rights?: CallerRights | undefined;
  readonly info: ServerInfo;
  readonly log: Log;
  readonly telemetry?: Telemetry | undefined;
  /** The instructions of a view that has none. */
  readonly fallbackInstructions?: (() => string | undefined) | undefined;
  /** How long a list waits for servers that are still connecting; 3 s unless given. */
  readonly listPatienceMs?: number | undefined;
}

const defaultListPatienceMs = 3000;

/** What a token gives its caller, beside its name. */
export interface CallerRights extends Pick<Caller, "view" | "isLocal"> {
  /** Tells tokens of the same name apart. */
  readonly tokenKey?: ((name: string) => string | undefined) | undefined;
}

/** A view of the catalog as an MCP server offers it. Every call goes through the guard. */
export function createViewOffer(options: ViewOfferOptions): McpOffer {
  const { view, guard, door, rights = {}, info, log, telemetry = noTelemetry } = options;
  const { listPatienceMs = defaultListPatienceMs } = options;
  const { isTracing } = telemetry;
  const contextOf = (request: RequestContext, span?: Span) =>
    new RequestCallContext(request, callerOf(request, door, rights), log, span);

  return {
    info,
    instructions: () => view.instructions() ?? options.fallbackInstructions?.(),
    extensions: () => view.extensions(),
    tools: {
      list: () => view.definitions(),
      find: (name) => view.find(name)?.definition,
      judgesArguments: (tool) => judgesArguments(view, tool),
      refused: (name, fault, request) =>
        guard.noteRefused?.({ tool: view.find(name), name, fault, context: contextOf(request) }),
      call: (tool, args, request) => {
        const entry = view.find(tool.name);
        if (!entry)
          throw new Fault("unknown-tool", `The tool ${tool.name} is no longer available. List the tools again.`);
        return detachAfter(callTool(entry, args, request), request, entry.source.taskAfterMs);
      },
    },
    resources: {
      list: () => view.resources(),
      templates: () => view.resourceTemplates(),
      read: (uri, request) =>
        isTracing
          ? trace("resources/read", uri, request, (context) => readResource(uri, context))
          : readResource(uri, contextOf(request)),
      watch: (uri, listener, request) => guard.watchResource(view, uri, listener, contextOf(request)),
    },
    prompts: {
      list: () => view.prompts(),
      find: (name) => view.findPrompt(name)?.definition,
      judgesArguments: (name) => view.findPrompt(name)?.source.judgesArguments === true,
      get: (name, args, request) =>
        isTracing
          ? trace("prompts/get", name, request, (context) => getPrompt(name, args, context))
          : getPrompt(name, args, contextOf(request)),
    },
    skills: {
      list: () => view.skills(),
      get: (uri, request) => getSkill(uri, contextOf(request)),
      readDirectory: (uri, cursor, request) => readDirectory(uri, cursor, contextOf(request)),
    },
    listMeta: (list) => view.listMeta(list),
    onListed(request) {
      view.noteListed(callerOf(request, door, rights));
    },
    complete: (completion, request) => guard.complete(view, completion, contextOf(request)),
    isSettled: () => view.connecting().length === 0,
    arriving(name) {
      if (name === undefined && listPatienceMs === 0) return undefined;
      const sources = view.connecting(name);
      if (sources.length === 0) return undefined;
      return arrivalOf(sources, name === undefined ? listPatienceMs : Infinity);
    },
    onChange: (listener) =>
      view.onChange((change) => {
        for (const kind of kinds) if (change[kind]) listener(kind);
      }),
  };

  async function readResource(uri: string, context: CallContext): Promise<ReadResourceResult> {
    if (!view.findResource(uri, context.caller)) await orAborted(arrivalOf(view.connecting()), context.signal);
    const result = await guard.readResource(view, uri, context);
    if (!view.sharesUris) return result;
    const found = view.findResource(uri, context.caller);
    return found ? view.showUris(found.source, result, context.caller, { ...found, shown: uri }) : result;
  }

  async function getSkill(uri: string, context: CallContext): Promise<GetSkillResult> {
    const result = await guard.getSkill(view, uri, context);
    const found = view.findSkill(uri, context.caller);
    // Its files are named like the skill itself, so that they stay in its directory.
    return !found || found.uri === uri ? result : { ...result, skill: qualifySkill(found.source.id, result.skill) };
  }

  async function readDirectory(
    uri: string,
    cursor: string | undefined,
    context: CallContext,
  ): Promise<ReadDirectoryResult> {
    const result = await guard.readDirectory(view, uri, cursor, context);
    const found = view.sharesUris ? view.findSkill(uri, context.caller) : undefined;
    return found ? view.showUris(found.source, result, context.caller) : result;
  }

  async function getPrompt(
    name: string,
    args: Readonly<Record<string, string>>,
    context: CallContext,
  ): Promise<GetPromptResult> {
    const result = await guard.getPrompt(view, name, args, context);
    const found = view.sharesUris ? view.findPrompt(name) : undefined;
    return found ? view.showUris(found.source, result, context.caller) : result;
  }

  function callTool(entry: CatalogTool, args: unknown, request: RequestContext): Promise<ToolResult> {
    return view.sharesUris ? callShown(entry, args, request) : callPlain(entry, args, request);
  }

  async function callShown(entry: CatalogTool, args: unknown, request: RequestContext): Promise<ToolResult> {
    const result = await callPlain(entry, args, request);
    return view.showUris(entry.source, result, callerOf(request, door, rights));
  }

  function callPlain(entry: CatalogTool, args: unknown, request: RequestContext): Promise<ToolResult> {
    if (!isTracing) return guard.call(entry, args, contextOf(request));
    const { kind, id } = entry.source;
    return trace("tools/call", entry.name, request, async (context, span) => {
      span.setAttribute("clawport.source", kind === "server" ? id : kind);
      const result = await guard.call(entry, args, context);
      const fault = faultFromResult(result);
      if (fault !== undefined) span.recordError(fault);
      else if (result.isError === true) span.recordFailure(toolErrorType);
      return result;
    });
  }

  async function trace<T>(
    method: string,
    target: string,
    request: RequestContext,
    run: (context: CallContext, span: Span) => Promise<T>,
  ): Promise<T> {
    const { name, attributes } = describeMcpRequest(method, target);
    const span = telemetry.startSpan(name, { kind: "server", parent: request.traceparent, attributes });
    span.setAttribute("mcp.protocol.version", request.protocolVersion);
    try {
      return await run(contextOf(request, span), span);
    } catch (error) {
      span.recordError(error);
      throw error;
    } finally {
      span.end();
    }
  }
}

/** Whether a tool of this view judges its arguments. A tool of the door itself may have the name of a server's. */
export function judgesArguments(view: Pick<View, "find">, tool: Tool): boolean {
  const entry = view.find(tool.name);
  return entry?.definition === tool && entry.source.judgesArguments === true;
}

async function arrivalOf(sources: readonly Connecting[], atMostMs = Infinity): Promise<void> {
  await Promise.all(sources.map(({ settled, patienceMs }) => settledWithin(settled, Math.min(patienceMs, atMostMs))));
}

/** Who sent a request, as the guard and the audit know it. */
export function callerOf(request: RequestContext, door: DoorKind, rights: CallerRights): Caller {
  // A command at a terminal counts as the same caller with and without a hub, where it has no token.
  if (door === "cli") return { door };
  const { principal: token, sessionId: sessionKey, client } = request;
  const { view, isLocal } = rights;
  const tokenKey = rights.tokenKey?.(token);
  if (sessionKey === undefined || client.name === undefined)
    return { door, token, tokenKey, view, isLocal, ...(sessionKey !== undefined && { sessionKey }) };
  // The usual case at once, without copying.
  return { door, token, tokenKey, view, isLocal, sessionKey, client: client.name };
}

const kinds: readonly OfferChange[] = ["tools", "resources", "prompts"];
