import type { Source } from "../../catalog/tool-source.ts";
import { createSchemaChecker, type SchemaChecker } from "../../mcp/schema/schema-checker.ts";
import { errorResult, type Tool, type ToolResult } from "../../mcp/tool.ts";
import { callApp } from "./call-app.ts";
import type { CallRules } from "./call-rules.ts";

export interface AppSourceOptions {
  readonly tools: readonly Tool[];
  readonly rules: CallRules;
  /** A call begins or ends: the session is in use. */
  onCall(): void;
}

/** The tools of one app session. */
export interface AppSource extends Source {
  replace(tools: readonly Tool[]): void;
}

const checker: SchemaChecker = createSchemaChecker();

export function createAppSource(options: AppSourceOptions): AppSource {
  const { rules } = options;
  let { tools } = options;
  let listeners: Set<() => void> | undefined;

  return {
    id: rules.sessionId,
    kind: "app",
    tools: () => tools,
    async call(name, args, context) {
      options.onCall();
      const result = await callApp(rules, name, args, context);
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
      tools = next;
      for (const listener of listeners ?? []) listener();
    },
    close: () => Promise.resolve(),
  };

  /** Clients throw away a result that breaks the tool's own promise; here it can be said what is wrong. */
  async function checkOutput(result: ToolResult, schema: NonNullable<Tool["outputSchema"]>): Promise<ToolResult> {
    const verdict = await checker.check(schema, result.structuredContent ?? null);
    if (verdict.ok) return result;
    rules.count("bad result");
    return errorResult(`The app's answer does not fit the tool's output schema: ${verdict.message}`);
  }
}
