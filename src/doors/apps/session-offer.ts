import type { Caller } from "../../catalog/caller.ts";
import type { CatalogTool } from "../../catalog/catalog-tool.ts";
import type { Guard } from "../../catalog/guard/guard.ts";
import { measureSize } from "../../catalog/guard/measure-size.ts";
import { Fault } from "../../core/fault.ts";
import type { Log } from "../../core/log.ts";
import { hasTasks } from "../../mcp/client-facts.ts";
import type { McpOffer, ServerInfo } from "../../mcp/offer.ts";
import type { ClientLogLine, Progress } from "../../mcp/progress.ts";
import type { Answer, Question } from "../../mcp/question.ts";
import type { RequestContext } from "../../mcp/request-context.ts";
import { errorResult, type Tool, type ToolResult } from "../../mcp/tool.ts";
import type { AppCallContext } from "../../sources/apps/call-app.ts";
import type { MemoryBudget } from "../../sources/apps/memory-budget.ts";
import type { AppSession } from "../../sources/apps/session.ts";

export interface SessionOfferOptions {
  readonly session: AppSession;
  readonly guard: Pick<Guard, "call">;
  readonly info: ServerInfo;
  readonly log: Log;
  readonly budget: MemoryBudget;
  /** How long a call may take before a client that knows tasks gets one instead of waiting. */
  readonly taskAfterMs?: number;
}

/** How long the result of a task waits to be fetched, and how many tasks one session has at most. */
export const taskRules = { keepTasksMs: 600_000, mostTasks: 100 };

/** Names a call in `_meta`: sent again under the same name, it is not run again. */
const callKeyMeta = "clawport/callKey";

/** One app session as an MCP server offers it, every call through the guard. */
export function createSessionOffer(options: SessionOfferOptions): McpOffer {
  const { session, guard, info, log, budget, taskAfterMs = 10_000 } = options;
  const { source } = session;
  let listed: readonly Tool[] | undefined;
  let entries = new Map<string, CatalogTool>();

  return {
    info,
    tools: {
      list: () => source.tools(),
      find: (name) => find(name)?.tool,
      call(tool, args, request) {
        const entry = find(tool.name);
        if (!entry) throw new Fault("unknown-tool", `The tool ${tool.name} has just gone. List the tools again.`);
        return hasTasks(request.client) ? callAsTask(entry, args, request) : call(entry, args, request);
      },
    },
    onChange: (listener) => source.onChange(() => listener("tools")),
  };

  async function callAsTask(entry: CatalogTool, args: unknown, request: RequestContext): Promise<ToolResult> {
    let isTask = false;
    const timer = setTimeout(() => (isTask = request.detach("Still running.")), taskAfterMs);
    try {
      const result = await call(entry, args, request);
      return isTask ? keepForLater(result) : result;
    } finally {
      clearTimeout(timer);
    }
  }

  /** The result of a task is held until its client asks for it, if ever. */
  function keepForLater(result: ToolResult): ToolResult {
    const bytes = measureSize(result);
    if (!budget.take(bytes)) return errorResult("The tool ran, but there was no room here to keep its result.");
    setTimeout(() => budget.give(bytes), taskRules.keepTasksMs).unref();
    return result;
  }

  function find(name: string): CatalogTool | undefined {
    const tools = source.tools();
    if (tools !== listed) {
      listed = tools;
      entries = new Map(tools.map((tool) => [tool.name, { name: tool.name, source, tool, definition: tool }]));
    }
    return entries.get(name);
  }

  function call(entry: CatalogTool, args: unknown, request: RequestContext): Promise<ToolResult> {
    return guard.call(entry, args, new OfferContext(session.id, entry.name, request, log));
  }
}

/** A class, not a closure: one is made for every call, and methods on the prototype make that cheap. */
class OfferContext implements AppCallContext {
  readonly caller: Caller;
  readonly log: Log;
  readonly callId: string | undefined;
  readonly traceparent?: string;
  readonly #request: RequestContext;

  constructor(sessionId: string, tool: string, request: RequestContext, log: Log) {
    const { principal, client, meta, traceparent } = request;
    const known = { door: "app-proxy", token: principal, sessionKey: sessionId } as const;
    this.caller = client.name === undefined ? known : { ...known, client: client.name };
    this.log = log;
    const key = meta[callKeyMeta];
    this.callId = typeof key === "string" && key.length <= 200 ? `key:${principal}:${tool}:${key}` : undefined;
    if (traceparent !== undefined) this.traceparent = traceparent;
    this.#request = request;
  }

  /** Made only when somebody looks at it. */
  get signal(): AbortSignal {
    return this.#request.signal;
  }

  progress(progress: Progress): void {
    this.#request.progress(progress);
  }

  tell(line: ClientLogLine): void {
    this.#request.tell(line);
  }

  ask(question: Question): Promise<Answer> {
    return this.#request.ask(question);
  }
}
