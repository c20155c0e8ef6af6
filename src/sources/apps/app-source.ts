import type { Source } from "../../catalog/tool-source.ts";
import { createSchemaChecker, type SchemaChecker } from "../../mcp/schema/schema-checker.ts";
import { errorResult, type Tool, type ToolResult } from "../../mcp/tool.ts";
import type { CountEvent } from "./app-event.ts";
import type { AppTool } from "./app-tool.ts";
import { type AppCallContext, callApp, type CallRules } from "./call-app.ts";
import type { Bus } from "./bus.ts";

export interface AppSourceOptions extends CallRules {
  /** The id of the session. */
  readonly id: string;
  readonly tools: readonly AppTool[];
  readonly bus: Bus;
  readonly now: () => number;
  readonly count: CountEvent;
  /** A call begins: the session is in use. */
  onCall(): void;
}

/** The tools of one app session. */
export interface AppSource extends Source {
  replace(tools: readonly AppTool[]): void;
}

const checker: SchemaChecker = createSchemaChecker();

export function createAppSource(options: AppSourceOptions): AppSource {
  const { id, bus, now, count, timeoutMs, graceMs, acceptMs } = options;
  let tools = options.tools.map(({ tool }) => tool);
  let listeners: Set<() => void> | undefined;

  return {
    id,
    kind: "app",
    tools: () => tools,
    async call(name, args, context) {
      options.onCall();
      const call = { bus, sessionId: id, tool: name, args, context: context as AppCallContext };
      const result = await callApp({ ...call, timeoutMs, graceMs, acceptMs, now, count });
      options.onCall();
      const schema = tools.find((tool) => tool.name === name)?.outputSchema;
      return schema === undefined || result.isError ? result : checkOutput(result, schema);
    },
    onChange(listener) {
      listeners ??= new Set();
      const own = () => listener();
      listeners.add(own);
      return () => listeners?.delete(own);
    },
    replace(next) {
      tools = next.map(({ tool }) => tool);
      for (const listener of listeners ?? []) listener();
    },
    close: () => Promise.resolve(),
  };

  /** Clients throw away a result that breaks the tool's own promise; here it can be said what is wrong. */
  async function checkOutput(result: ToolResult, schema: NonNullable<Tool["outputSchema"]>): Promise<ToolResult> {
    const verdict = await checker.check(schema, result.structuredContent ?? null);
    if (verdict.ok) return result;
    count("bad result");
    return errorResult(`The app's answer does not fit the tool's output schema: ${verdict.message}`);
  }
}
