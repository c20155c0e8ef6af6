import type { ContentBlock, ToolResult } from "../../../src/mcp/messages/tool.ts";
import { Fault, isFaultCode } from "../../../src/core/fault.ts";
import { parseJson } from "../../../src/core/json.ts";
import { faultOfResponse, sendToHub } from "./ask-hub.ts";
import { linesOf } from "./events.ts";

/** Large parts of a result stay at the hub: `media` says where. */
export type ShownBlock = ContentBlock & { readonly media?: string; readonly bytes?: number };

export interface CallProgress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** What the server asks during a call. */
export interface CallQuestion {
  readonly id: string;
  readonly method: string;
  readonly params: { readonly message?: string; readonly requestedSchema?: Readonly<Record<string, unknown>> };
}

export interface CallWatcher {
  onProgress?(progress: CallProgress): void;
  onLog?(text: string): void;
  onQuestion?(question: CallQuestion): void;
}

interface Line {
  readonly type?: unknown;
  readonly [field: string]: unknown;
}

const maxResultLength = 64 * 1024 * 1024;

/** Calls a tool through the guard; aborting the signal cancels the call. */
export async function callTool(
  tool: string,
  args: object,
  signal: AbortSignal,
  { onProgress, onLog, onQuestion }: CallWatcher = {},
): Promise<ToolResult> {
  const response = await sendToHub("call", { tool, arguments: args }, signal);
  if (!response.ok || response.body === null) throw await faultOfResponse(response);
  try {
    for await (const text of linesOf(response.body, maxResultLength)) {
      if (text.trim() === "") continue;
      const line = parseJson(text) as Line;
      if (line.type === "progress") onProgress?.(line as unknown as CallProgress);
      else if (line.type === "log") onLog?.(textOf(line["data"]));
      else if (line.type === "question") onQuestion?.(line as unknown as CallQuestion);
      else if (line.type === "result") return line["result"] as ToolResult;
      else if (line.type === "error") throw faultFrom(line["error"]);
    }
  } catch (error) {
    if (signal.aborted) throw new Fault("cancelled", "You cancelled the call.");
    throw error;
  }
  throw new Fault("outcome-unknown", "The connection ended before the result came. The call may have run.");
}

export async function answerQuestion(id: string, answer: object): Promise<void> {
  const response = await sendToHub("answer", { id, answer }, AbortSignal.timeout(15_000));
  if (!response.ok) throw await faultOfResponse(response);
}

/** A part of a result that stayed at the hub. */
export async function fetchMedia(id: string, type: string): Promise<Blob> {
  const response = await sendToHub(`media/${encodeURIComponent(id)}`, undefined, AbortSignal.timeout(60_000));
  if (!response.ok) throw await faultOfResponse(response);
  return new Blob([await response.arrayBuffer()], { type });
}

function faultFrom(error: unknown): Fault {
  const { code, message } = (error ?? {}) as { readonly code?: unknown; readonly message?: unknown };
  return new Fault(isFaultCode(code) ? code : "internal", typeof message === "string" ? message : "The call failed.");
}

function textOf(data: unknown): string {
  return typeof data === "string" ? data : JSON.stringify(data);
}
