import type { Caller } from "../../catalog/caller.ts";
import type { CatalogTool } from "../../catalog/catalog-tool.ts";
import type { Guard } from "../../catalog/guard/guard.ts";
import { Fault } from "../../core/fault.ts";
import type { Log } from "../../core/log.ts";
import { hasTasks } from "../../mcp/client-facts.ts";
import type { McpOffer, ServerInfo } from "../../mcp/offer.ts";
import type { RequestContext } from "../../mcp/request-context.ts";
import type { Tool, ToolResult } from "../../mcp/tool.ts";
import type { AppCallContext } from "../../sources/apps/call-app.ts";
import type { AppSession } from "../../sources/apps/session.ts";

export interface SessionOfferOptions {
  readonly session: AppSession;
  readonly guard: Pick<Guard, "call">;
  readonly info: ServerInfo;
  readonly log: Log;
  /** How long a call may take before a client that knows tasks gets one instead of waiting. */
  readonly taskAfterMs?: number;
}

/** Names a call in `_meta`: sent again under the same name, it is not run again. */
const callKeyMeta = "clawport/callKey";

/** One app session as an MCP server offers it, every call through the guard. */
export function createSessionOffer({ session, guard, info, log, taskAfterMs = 10_000 }: SessionOfferOptions): McpOffer {
  const { source } = session;
  let listed: readonly Tool[] | undefined;
  let entries = new Map<string, CatalogTool>();

  return {
    info,
    tools: {
      list: () => source.tools(),
      find: (name) => find(name)?.tool,
      call: async (tool, args, request) => {
        const entry = find(tool.name);
        if (!entry) throw new Fault("unknown-tool", `The tool ${tool.name} has just gone. List the tools again.`);
        if (!hasTasks(request.client)) return call(entry, args, request);
        const timer = setTimeout(() => request.detach("Still running."), taskAfterMs);
        try {
          return await call(entry, args, request);
        } finally {
          clearTimeout(timer);
        }
      },
    },
    onChange: (listener) => source.onChange(() => listener("tools")),
  };

  function find(name: string): CatalogTool | undefined {
    const tools = source.tools();
    if (tools !== listed) {
      listed = tools;
      entries = new Map(tools.map((tool) => [tool.name, { name: tool.name, source, tool, definition: tool }]));
    }
    return entries.get(name);
  }

  function call(entry: CatalogTool, args: unknown, request: RequestContext): Promise<ToolResult> {
    const client = request.client.name;
    const caller: Caller = {
      door: "app-proxy",
      token: request.principal,
      sessionKey: session.id,
      ...(client === undefined ? {} : { client }),
    };
    const key = request.meta[callKeyMeta];
    const context: AppCallContext = {
      caller,
      log,
      get signal() {
        return request.signal;
      },
      progress: (progress) => request.progress(progress),
      tell: (line) => request.tell(line),
      ask: (question) => request.ask(question),
      callId:
        typeof key === "string" && key.length <= 200 ? `key:${request.principal}:${entry.name}:${key}` : undefined,
      ...(request.traceparent === undefined ? {} : { traceparent: request.traceparent }),
    };
    return guard.call(entry, args, context);
  }
}
