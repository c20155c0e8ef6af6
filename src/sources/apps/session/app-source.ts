import type { Source, Unsubscribe } from "../../../catalog/source.ts";
import { errorResult, type Tool, type ToolResult } from "../../../mcp/messages/tool.ts";
import { createSchemaChecker, type SchemaChecker } from "../../../mcp/schema/schema-checker.ts";
import type { CallRules } from "../call/attempt-call.ts";
import { type AppCallContext, callApp } from "../call/call-app.ts";

/** The session that the tools belong to. */
export interface UsedSession {
  readonly id: string;
  /** Extends the life of the session: it is in use. */
  touch(): void;
}

const checker: SchemaChecker = createSchemaChecker();

/** The tools of one app session. A class, not a closure: there is one for every session. */
export class AppSource implements Source {
  readonly id: string;
  readonly kind = "app";
  readonly #session: UsedSession;
  readonly #rules: CallRules;
  #tools: readonly Tool[];
  #listeners: Set<() => void> | undefined;

  constructor(session: UsedSession, tools: readonly Tool[], rules: CallRules) {
    this.id = session.id;
    this.#session = session;
    this.#tools = tools;
    this.#rules = rules;
  }

  tools(): readonly Tool[] {
    return this.#tools;
  }

  async call(name: string, args: unknown, context: AppCallContext): Promise<ToolResult> {
    this.#session.touch();
    const result = await callApp(this.#rules, this.id, name, args, context);
    this.#session.touch();
    const schema = this.#tools.find((tool) => tool.name === name)?.outputSchema;
    return schema === undefined || result.isError ? result : this.#checkOutput(result, schema);
  }

  onChange(listener: () => void): Unsubscribe {
    const listeners = (this.#listeners ??= new Set());
    const own = () => listener();
    listeners.add(own);
    return () => listeners.delete(own);
  }

  replace(tools: readonly Tool[]): void {
    this.#tools = tools;
    for (const listener of this.#listeners ?? []) listener();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  /** Clients drop a result that does not match its schema. Checked here, the caller gets an error that says why. */
  async #checkOutput(result: ToolResult, schema: NonNullable<Tool["outputSchema"]>): Promise<ToolResult> {
    const verdict = await checker.check(schema, result.structuredContent ?? null);
    if (verdict.ok) return result;
    this.#rules.count("bad result");
    return errorResult(`The app's result does not match the tool's output schema: ${verdict.message}`);
  }
}
