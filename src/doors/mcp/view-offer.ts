import type { Log } from "../../core/log.ts";
import { noTelemetry, type Telemetry } from "../../core/telemetry/telemetry.ts";
import { Fault } from "../../core/fault.ts";
import type { CatalogTool } from "../../catalog/catalog-tool.ts";
import type { DoorKind } from "../../catalog/caller.ts";
import type { Guard } from "../../catalog/guard/guard.ts";
import type { View } from "../../catalog/view.ts";
import { hasTasks } from "../../mcp/client-facts.ts";
import type { McpOffer, OfferChange, ServerInfo } from "../../mcp/offer.ts";
import type { RequestContext } from "../../mcp/request-context.ts";
import type { ToolResult } from "../../mcp/tool.ts";
import { DoorCallContext } from "./call-context.ts";

/** What stands between a door and the sources. */
export type CallGuard = Pick<Guard, "call" | "readResource" | "getPrompt" | "complete">;

export interface ViewOfferOptions {
  readonly view: View;
  readonly guard: CallGuard;
  readonly door: DoorKind;
  readonly info: ServerInfo;
  readonly log: Log;
  readonly telemetry?: Telemetry | undefined;
  /** How long a call may take before a client that knows tasks gets one instead of waiting. */
  readonly taskAfterMs?: number | undefined;
}

/** A view of the catalog as an MCP server offers it, every call through the guard. */
export function createViewOffer(options: ViewOfferOptions): McpOffer {
  const { view, guard, door, info, log, telemetry = noTelemetry, taskAfterMs = 10_000 } = options;
  const contextOf = (request: RequestContext, traceparent?: string) =>
    new DoorCallContext(request, door, log, traceparent);

  return {
    info,
    get instructions() {
      return view.instructions();
    },
    tools: {
      list: () => view.definitions(),
      find: (name) => view.find(name)?.definition,
      call: (tool, args, request) => {
        const entry = view.find(tool.name);
        if (!entry) throw new Fault("unknown-tool", `The tool ${tool.name} has just gone. List the tools again.`);
        return hasTasks(request.client) ? detachable(entry, args, request) : called(entry, args, request);
      },
    },
    resources: {
      list: () => view.resources(),
      templates: () => view.resourceTemplates(),
      read: (uri, request) => guard.readResource(view, uri, contextOf(request)),
      watch: async (uri, listener) => (await sourceOf(uri).watchResource?.(uri, listener)) ?? (() => {}),
    },
    prompts: {
      list: () => view.prompts(),
      get: (name, args, request) => guard.getPrompt(view, name, args, contextOf(request)),
    },
    complete: (completion, request) => guard.complete(view, completion, contextOf(request)),
    onChange: (listener) =>
      view.onChange((change) => {
        for (const kind of kinds) if (change[kind]) listener(kind);
      }),
  };

  async function detachable(entry: CatalogTool, args: unknown, request: RequestContext): Promise<ToolResult> {
    const timer = setTimeout(() => request.detach("Still running."), taskAfterMs);
    try {
      return await called(entry, args, request);
    } finally {
      clearTimeout(timer);
    }
  }

  function called(entry: CatalogTool, args: unknown, request: RequestContext): Promise<ToolResult> {
    return telemetry === noTelemetry
      ? guard.call(entry, args, contextOf(request, request.traceparent))
      : traced(entry, args, request);
  }

  async function traced(entry: CatalogTool, args: unknown, request: RequestContext): Promise<ToolResult> {
    const span = telemetry.startSpan(`tools/call ${entry.name}`, {
      kind: "server",
      parent: request.traceparent,
      attributes: {
        "mcp.method.name": "tools/call",
        "gen_ai.tool.name": entry.name,
        "clawport.source": entry.source.id,
      },
    });
    try {
      return await guard.call(entry, args, contextOf(request, span.traceparent));
    } catch (error) {
      span.recordError(error);
      throw error;
    } finally {
      span.end();
    }
  }

  function sourceOf(uri: string) {
    const source = view.findResource(uri);
    if (!source)
      throw new Fault("unknown-resource", `Resource not found: ${JSON.stringify(uri.slice(0, 300))}`, {
        detail: { uri },
      });
    return source;
  }
}

const kinds: readonly OfferChange[] = ["tools", "resources", "prompts"];
