import { visibleText } from "../../core/text/peer-text.ts";
import { type RpcError, RpcFault } from "../../mcp/messages/json-rpc.ts";
import { textBlock, type ToolResult } from "../../mcp/messages/tool.ts";
import { createSchemaChecker } from "../../mcp/schema/schema-checker.ts";
import type { Advice } from "../advice.ts";
import type { CatalogTool } from "../source.ts";

const checker = createSchemaChecker();
const maxText = 1000;

interface Mismatch {
  /** Names fields, never values. */
  readonly text: string;
  /** The arguments could not be compared with the schema: they may fit. */
  readonly unchecked?: true;
}

/**
 * How the arguments of a call differ from the schema of a tool that judges them itself; undefined if they fit, or if
 * they were checked before the call.
 */
async function argumentMismatch({ source, tool }: CatalogTool, args: unknown): Promise<Mismatch | undefined> {
  if (!source.judgesArguments) return undefined;
  const verdict = await checker.check(tool.inputSchema, args);
  if (verdict.ok) return undefined;
  const text = visibleText(verdict.message, maxText);
  return verdict.unchecked ? { text, unchecked: true } : { text };
}

/** Under `strict`, arguments that the schema does not declare, or that can't be compared with it, are a question. */
export async function adviceOnArguments(tool: CatalogTool, args: unknown): Promise<Advice | undefined> {
  const mismatch = await argumentMismatch(tool, args);
  if (mismatch === undefined) return undefined;
  const how = mismatch.unchecked ? "can't be compared with" : "don't fit";
  const reason = `policy.preset "strict" requires it: the arguments ${how} the tool's schema (${mismatch.text})`;
  return { by: "arguments", verdict: "ask", reason };
}

/** Undefined for arguments that may fit: a hint is true even if the server's error has another cause. */
async function hintFor(tool: CatalogTool, args: unknown): Promise<string | undefined> {
  const mismatch = await argumentMismatch(tool, args);
  if (mismatch === undefined || mismatch.unchecked) return undefined;
  return `Hint: the arguments differ from the tool's schema: ${mismatch.text}`;
}

/** A server that refuses arguments often does not say which one is wrong: its own words stay first. */
export async function withHint(result: ToolResult, tool: CatalogTool, args: unknown): Promise<ToolResult> {
  const hint = await hintFor(tool, args);
  const last = result.content.at(-1);
  // A hub behind this one may have said so already.
  if (hint === undefined || (last?.type === "text" && last.text === hint)) return result;
  return { ...result, content: [...result.content, textBlock(hint)] };
}

const invalidParams = -32602;

/** The same for a server that refuses them with an error of the protocol. */
export async function faultWithHint(fault: RpcFault, tool: CatalogTool, args: unknown): Promise<RpcFault> {
  const { error } = fault;
  const hint = error.code === invalidParams ? await hintFor(tool, args) : undefined;
  if (hint === undefined) return fault;
  const hinted: RpcError = { ...error, message: `${fault.message}\n${hint}` };
  return new RpcFault(hinted);
}
