import { hasTasks } from "./client-facts.ts";
import type { RequestContext } from "./request-context.ts";
import type { ToolResult } from "./tool.ts";

export interface TaskManner {
  readonly status?: string;
  /** Takes the result of what became a task: it is held until its client asks for it, if ever. */
  keep?(result: ToolResult): ToolResult;
}

const plain: TaskManner = {};

/** A client that knows tasks gets one instead of waiting, where the result takes longer than that. */
export function detachAfter(
  result: Promise<ToolResult>,
  request: RequestContext,
  afterMs = 10_000,
  manner = plain,
): Promise<ToolResult> {
  return hasTasks(request.client) ? waitOrDetach(result, request, afterMs, manner) : result;
}

async function waitOrDetach(
  result: Promise<ToolResult>,
  request: RequestContext,
  afterMs: number,
  { status = "Still running.", keep }: TaskManner,
): Promise<ToolResult> {
  let isTask = false;
  const timer = setTimeout(() => (isTask = request.detach(status)), afterMs);
  try {
    const found = await result;
    return isTask && keep ? keep(found) : found;
  } finally {
    clearTimeout(timer);
  }
}
