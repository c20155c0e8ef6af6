import { RequestCallContext } from "../../catalog/call-context.ts";
import type { Guard } from "../../catalog/guard/guard.ts";
import { memoized } from "../../catalog/memoized.ts";
import { aliasesOf } from "../../catalog/names.ts";
import type { CatalogTool } from "../../catalog/source.ts";
import { Fault } from "../../core/fault.ts";
import { approximateJsonSize } from "../../core/json-size.ts";
import type { Log } from "../../core/log.ts";
import { errorResult, type Tool, type ToolResult } from "../../mcp/messages/tool.ts";
import type { McpOffer, RequestContext, ServerInfo } from "../../mcp/server/offer.ts";
import { detachAfter } from "../../mcp/server/tasks.ts";
import type { AppCallContext } from "../../sources/apps/call/call-app.ts";
import type { MemoryBudget } from "../../sources/apps/memory-budget.ts";
import type { RegisteredSession } from "../../sources/apps/session/live-session.ts";

export interface SessionOfferOptions {
  readonly session: RegisteredSession;
  readonly guard: Pick<Guard, "call">;
  readonly info: ServerInfo;
  readonly log: Log;
  readonly budget: MemoryBudget;
  /** What the names of apps' tools begin with in the hub: a rule for such a name holds here, too. */
  readonly prefix?: string | undefined;
}

/** How long the result of a task is kept, and how many tasks one session may have. */
export const taskLimits = { keepTasksMs: 600_000, maxTasks: 100 };

/** Key in `_meta` that names a call: a call that is sent again under the same name is not run again. */
const callKeyMeta = "clawport/callKey";

/** The tools of one app session for an MCP server. Every call goes through the guard. */
export function createSessionOffer(options: SessionOfferOptions): McpOffer {
  const { session, guard, info, log, budget, prefix } = options;
  const { source } = session;
  let listed: readonly Tool[] | undefined;
  let entries = new Map<string, CatalogTool>();
  const asTask = { keep: keepForLater };

  return {
    info,
    tools: {
      list: () => source.tools(),
      find: (name) => find(name)?.tool,
      call(tool, args, request) {
        const entry = find(tool.name);
        if (!entry) throw new Fault("unknown-tool", `The tool ${tool.name} was just removed. List the tools again.`);
        const result = guard.call(entry, args, new SessionCall(session.id, entry.name, request, log));
        return detachAfter(result, request, undefined, asTask);
      },
    },
    onChange: (listener) => source.onChange(() => listener("tools")),
  };

  /** Counts the result of a task in the budget for as long as its client may fetch it. */
  function keepForLater(result: ToolResult): ToolResult {
    const bytes = approximateJsonSize(result);
    if (!budget.take(bytes)) return errorResult("The tool ran, but the proxy had no memory left to keep its result.");
    const forget = (): void => {
      stopListening();
      clearTimeout(timer);
      budget.give(bytes);
    };
    const timer = setTimeout(forget, taskLimits.keepTasksMs).unref();
    const stopListening = session.onEnd(forget);
    return result;
  }

  function find(name: string): CatalogTool | undefined {
    const tools = source.tools();
    if (tools !== listed) {
      listed = tools;
      entries = new Map(tools.map((tool) => [tool.name, entryOf(tool)]));
    }
    return entries.get(name);
  }

  function entryOf(tool: Tool): CatalogTool {
    const { name } = tool;
    const aliases = memoized(() => aliasesOf({ source: source.id, prefix, original: name }));
    return { name, aliases, source, tool, definition: tool };
  }
}

class SessionCall extends RequestCallContext implements AppCallContext {
  readonly callId: string | undefined;

  constructor(sessionId: string, tool: string, request: RequestContext, log: Log) {
    const { principal, meta } = request;
    super(request, { door: "app-proxy", token: principal, sessionKey: sessionId }, log);
    const key = meta[callKeyMeta];
    this.callId = typeof key === "string" && key.length <= 200 ? `key:${principal}:${tool}:${key}` : undefined;
  }
}
