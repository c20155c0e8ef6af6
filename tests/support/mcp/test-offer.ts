import { Fault } from "../../../src/core/fault.ts";
import { textBlock, textResult, type Tool, type ToolResult } from "../../../src/mcp/messages/tool.ts";
import type { McpOffer, OfferChange, RequestContext } from "../../../src/mcp/server/offer.ts";

export type Handler = (
  args: Readonly<Record<string, unknown>>,
  context: RequestContext,
) => Promise<ToolResult> | ToolResult;

export interface TestOffer extends McpOffer {
  /** Notifies listeners that a list has changed. */
  change(kind: OfferChange): void;
  /** Notifies watchers that a resource has changed. */
  update(uri: string): void;
  /** How many watch this URI now. */
  watchers(uri: string): number;
}

export interface TestOfferParts {
  /** The handler of each tool, by name. */
  readonly tools?: Readonly<Record<string, Handler>>;
  /** What a tool's definition has beside its name and a schema that accepts anything. */
  readonly definitions?: Readonly<Record<string, Partial<Tool>>>;
  readonly parts?: Partial<McpOffer>;
  /** Awaited before a watch begins. */
  readonly beforeWatch?: () => Promise<void>;
}

/** A server's offer in memory: `echo` and the given tools, one resource, one prompt. */
export function testOffer({ tools = {}, definitions = {}, parts = {}, beforeWatch }: TestOfferParts = {}): TestOffer {
  const handlers: Readonly<Record<string, Handler>> = { echo: ({ text }) => textResult(String(text)), ...tools };
  const list: readonly Tool[] = Object.keys(handlers).map((name) => ({
    name,
    inputSchema: { type: "object" },
    ...definitions[name],
  }));
  const listeners = new Set<(change: OfferChange) => void>();
  const watches = new Map<string, Set<() => void>>();

  return {
    info: { name: "test", version: "1.0.0" },
    tools: {
      list: () => list,
      find: (name) => list.find((tool) => tool.name === name),
      call: (tool, args, context) => handlers[tool.name]!(args, context),
    },
    resources: {
      list: () => [{ uri: "test://one", name: "one" }],
      templates: () => [{ uriTemplate: "test://{name}", name: "any" }],
      async read(uri) {
        if (uri !== "test://one") throw new Fault("unknown-resource", "Resource not found", { detail: { uri } });
        return { contents: [{ uri, text: "first" }] };
      },
      async watch(uri, listener) {
        await beforeWatch?.();
        const own = () => listener();
        const all = watches.get(uri) ?? new Set();
        watches.set(uri, all.add(own));
        return () => all.delete(own);
      },
    },
    prompts: {
      list: () => [{ name: "greet", arguments: [{ name: "who", required: true }] }],
      get: async (_name, { who }) => ({ messages: [{ role: "user", content: textBlock(`Hello ${who}`) }] }),
    },
    complete: async ({ argument }) => ({ values: [`${argument.value}!`] }),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    ...parts,
    change(kind) {
      for (const listener of listeners) listener(kind);
    },
    update(uri) {
      for (const listener of watches.get(uri) ?? []) listener();
    },
    watchers: (uri) => watches.get(uri)?.size ?? 0,
  };
}
