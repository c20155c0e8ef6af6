import { visibleText } from "../../core/text/peer-text.ts";
import { type RpcError, RpcFault } from "../../mcp/messages/json-rpc.ts";
import { textBlock, type ToolResult } from "../../mcp/messages/tool.ts";
import { createSchemaChecker } from "../../mcp/schema/schema-checker.ts";
import type { Advice } from "../advice.ts";
import type { CatalogTool } from "../source.ts";

const checker = createSchemaChecker();
const maxText = 1000;

/**
 * How the arguments of a call differ from the schema of a tool that judges them itself; undefined if they fit, or if
 * they were checked before the call. Names fields, never values.
 */
async function argumentMismatch({ source, tool }: CatalogTool, args: unknown): Promise<string | undefined> {
  if (!source.judgesArguments) return undefined;
  const verdict = await checker.check(tool.inputSchema, args);
  return verdict.ok ? undefined : visibleText(verdict.message, maxText);
}

/** Under `strict`, arguments that the schema does not declare are a question. */
export async function adviceOnArguments(tool: CatalogTool, args: unknown): Promise<Advice | undefined> {
  const mismatch = await argumentMismatch(tool, args);
  if (mismatch === undefined) return undefined;
  const reason = `policy.preset "strict" requires it: the arguments don't fit the tool's schema (${mismatch})`;
  return { by: "arguments", verdict: "ask", reason };
}

const hintText = (mismatch: string): string => `Hint: the arguments differ from the tool's schema: ${mismatch}`;

/** A server that refuses arguments often does not say which one is wrong: its own words stay first. */
export async function withHint(result: ToolResult, tool: CatalogTool, args: unknown): Promise<ToolResult> {
  const mismatch = await argumentMismatch(tool, args);
  if (mismatch === undefined) return result;
  const last = result.content.at(-1);
  // A hub behind this one has said so already.
  if (last?.type === "text" && last.text === hintText(mismatch)) return result;
  return { ...result, content: [...result.content, textBlock(hintText(mismatch))] };
}

const invalidParams = -32602;

/** The same for a server that refuses them with an error of the protocol. */
export async function faultWithHint(fault: RpcFault, tool: CatalogTool, args: unknown): Promise<RpcFault> {
  const { error } = fault;
  const mismatch = error.code === invalidParams ? await argumentMismatch(tool, args) : undefined;
  if (mismatch === undefined) return fault;
  const hinted: RpcError = { ...error, message: `${fault.message}\n${hintText(mismatch)}` };
  return new RpcFault(hinted);
}
