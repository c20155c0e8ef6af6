import type { Caller } from "../../src/catalog/caller.ts";
import type { CallContext } from "../../src/catalog/call-context.ts";
import type { Source } from "../../src/catalog/source.ts";
import { silentLog } from "../../src/core/log.ts";
import type { ClientFacts } from "../../src/mcp/messages/client-facts.ts";
import type { Answer, ClientLogLine, McpLogLevel, Question } from "../../src/mcp/messages/interim-messages.ts";
import { textResult, type Tool, type ToolResult } from "../../src/mcp/messages/tool.ts";

export interface TestSource extends Source {
  /** Replaces the list and notifies the listeners. */
  offer(tools: readonly Tool[]): void;
  readonly calls: { readonly name: string; readonly args: unknown }[];
}

type SourceParts = Partial<Omit<Source, "tools" | "onChange">> & { readonly tools?: readonly (string | Tool)[] };

/** A source in memory that answers every call with the tool's name. */
export function testSource({ tools = [], ...parts }: SourceParts = {}): TestSource {
  let list: readonly Tool[] = tools.map((tool) => (typeof tool === "string" ? testTool(tool) : tool));
  const listeners = new Set<() => void>();
  const calls: { name: string; args: unknown }[] = [];
  return {
    id: "test",
    kind: "server",
    calls,
    tools: () => list,
    offer(tools) {
      list = tools;
      for (const listener of listeners) listener();
    },
    call: (name, args): Promise<ToolResult> => {
      calls.push({ name, args });
      return Promise.resolve(textResult(name));
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: () => Promise.resolve(),
    ...parts,
  };
}

export function testTool(name: string, parts: Partial<Tool> = {}): Tool {
  return { name, inputSchema: { type: "object" }, ...parts };
}

export interface ContextParts {
  readonly caller?: Partial<Caller>;
  readonly signal?: AbortSignal;
  readonly ask?: (question: Question) => Promise<Answer>;
  readonly tell?: (line: ClientLogLine) => void;
  readonly logLevel?: McpLogLevel;
  readonly client?: ClientFacts;
}

export function testContext({ caller, signal, ask, tell, logLevel, client }: ContextParts = {}): CallContext {
  return {
    caller: { door: "mcp-http", token: "main", ...caller },
    signal: signal ?? new AbortController().signal,
    log: silentLog,
    progress: () => {},
    tell: tell ?? (() => {}),
    logLevel,
    client,
    ask: ask ?? (() => Promise.reject(new Error("this test expects no question"))),
  };
}
