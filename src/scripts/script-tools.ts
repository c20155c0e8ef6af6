import type { CallContext } from "../catalog/call-context.ts";
import type { Caller } from "../catalog/caller.ts";
import { faultFromResult, type Guard } from "../catalog/guard/guard.ts";
import type { CatalogTool } from "../catalog/source.ts";
import type { View } from "../catalog/view.ts";
import { Fault } from "../core/fault.ts";
import { isRecord } from "../core/is-record.ts";
import { parseJson } from "../core/json.ts";
import { quoted } from "../core/text/peer-text.ts";
import { settledWithin } from "../core/wait.ts";
import type { ContentBlock, ToolResult } from "../mcp/messages/tool.ts";
import { createSchemaChecker } from "../mcp/schema/schema-checker.ts";
import { described } from "./declaration.ts";
import { findScriptTool } from "./script-path.ts";
import { type ScriptHost, type ScriptQuestion, ToolFailure } from "./run-script.ts";

/** What a script reaches: a view of the catalog, as the caller of the script sees it, and only through the guard. */
export interface ScriptReach {
  readonly view: View;
  readonly guard: Pick<Guard, "call"> & Partial<Pick<Guard, "noteRefused">>;
  /** Which tools it may call, beside the caller's rights; all unless given. */
  isUsed?(tool: CatalogTool): boolean;
  /** The answer of `search_tools`. */
  search(query: unknown, limit: number | undefined): Promise<string>;
  /** The answer of `read_result`. */
  readResult(args: Readonly<Record<string, unknown>>, context: CallContext): Promise<ToolResult>;
}

/** Whose script it is, and how the client that sent it is reached now. */
export interface ScriptClient {
  /** The context of one call of the script. */
  contextFor(call: CallOfScript): CallContext;
  progress(text: string | undefined, part: number | undefined): void;
}

export interface CallOfScript {
  readonly id: number;
  readonly line: number | undefined;
  readonly signal: AbortSignal;
}

const checker = createSchemaChecker();

/** Answers a script. Each call of it is a call of its caller: found in its view, checked, and judged by the guard. */
export function createScriptTools(reach: ScriptReach, client: ScriptClient): ScriptHost {
  const { view, guard } = reach;
  return {
    progress: (text, part) => client.progress(text, part),
    async answer(question, signal) {
      switch (question.kind) {
        case "call":
          return valueOf(await call(question, signal), question.tool);
        case "search":
          return reach.search(question.query, question.limit);
        case "describe":
          return described(await arrivedTool(question.tool));
        case "read": {
          const context = client.contextFor({ id: question.id, line: undefined, signal });
          return textOf(await reach.readResult({ ...question.options, id: question.result }, context));
        }
        case "sleep":
          return undefined;
      }
    },
  };

  async function call(question: ScriptQuestion & { kind: "call" }, signal: AbortSignal): Promise<ToolResult> {
    const { id, tool, line, args } = question;
    const context = client.contextFor({ id, line, signal });
    const entry = await arrivedTool(tool, context.caller);
    if (!isRecord(args)) throw new Fault("bad-params", `The argument of ${tool} must be one object.`);
    if (entry.source.judgesArguments !== true) {
      const verdict = await checker.check(entry.definition.inputSchema, args);
      if (!verdict.ok) throw new Fault("bad-params", `Wrong arguments for ${entry.name}: ${verdict.message}`);
    }
    const result = await guard.call(entry, args, context);
    return view.sharesUris ? view.showUris(entry.source, result, context.caller) : result;
  }

  async function arrivedTool(path: string, caller?: Caller): Promise<CatalogTool> {
    let found = findScriptTool(view, path);
    if (found === undefined) {
      await Promise.all(view.connecting().map(({ settled, patienceMs }) => settledWithin(settled, patienceMs)));
      found = findScriptTool(view, path);
    }
    if (found !== undefined && reach.isUsed?.(found) !== false) return found;
    const fault = new Fault(
      "unknown-tool",
      `There is no tool ${quoted(path, 100)}. Find its name with tools.search("…").`,
    );
    if (caller !== undefined) guard.noteRefused?.({ tool: found, name: path, fault, context: { caller } });
    throw fault;
  }
}

/** Whether a call that was under way when the hub stopped may be made again. Asking the hub itself always may. */
export function mayRepeat(view: Pick<View, "find" | "tools">, question: ScriptQuestion): boolean {
  if (question.kind !== "call") return true;
  const { readOnlyHint, idempotentHint } = findScriptTool(view, question.tool)?.tool.annotations ?? {};
  return readOnlyHint === true || idempotentHint === true;
}

/** What a call gives a script: the structured content, else the JSON that its text is, else the text. */
function valueOf(result: ToolResult, tool: string): unknown {
  if (result.isError === true) {
    throw faultFromResult(result) ?? new ToolFailure(textOf(result) || `${tool} failed.`);
  }
  if (result.structuredContent !== undefined) return result.structuredContent;
  const text = textOf(result);
  try {
    return /^\s*[[{"\d-]|^\s*(?:true|false|null)\s*$/.test(text) ? parseJson(text) : text;
  } catch {
    return text;
  }
}

function textOf({ content }: ToolResult): string {
  return Array.isArray(content) ? content.map(blockText).join("\n") : "";
}

function blockText(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "resource":
      return block.resource.text ?? `[${block.resource.mimeType ?? "binary"} at ${block.resource.uri}]`;
    case "resource_link":
      return block.uri;
    case "image":
    case "audio":
      return `[${block.mimeType}]`;
  }
}
