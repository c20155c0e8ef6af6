import { faultFromResult } from "../../catalog/guard/guard.ts";
import { Fault } from "../../core/fault.ts";
import { agentCallContext, resultPayloads } from "../../sources/agent/agent-tools.ts";
import type { ReplyOptions } from "../../sources/agent/reply-backend.ts";
import { runCall } from "./call.ts";
import { splitCommandLine } from "../../core/process/split-command-line.ts";
import type { PresentationContext, Presented } from "./presentation.ts";

/** `call <tool> <json>` as it is typed in a chat. The guard judges the call as one of who typed it. */
export async function runCallText(text: string, order: ReplyOptions, context: PresentationContext): Promise<Presented> {
  const [, tool, rest = ""] = /^\s*call\s+(\S+)\s*(\S[\s\S]*)?$/.exec(text) ?? [];
  if (tool === undefined)
    throw new Fault(
      "usage",
      `Name the tool: \`${context.prefix} call <tool> <json>\`. Run \`${context.prefix} tools\`.`,
    );
  // The quotes of a JSON object are its own.
  const words = rest.startsWith("{") ? [rest] : splitCommandLine(rest);
  const readInput = () => Promise.reject(new Fault("usage", "There is no input to read here. Write the arguments."));
  const result = await runCall(context, { tool, words, readInput }, agentCallContext(order, tool));
  const fault = faultFromResult(result);
  if (fault !== undefined) throw fault;
  const shown = resultPayloads(result).map((payload) => payload.text ?? mediaText(payload.media?.length ?? 0));
  return { ok: result.isError !== true, data: result, text: shown.join("\n") || "(no output)" };
}

function mediaText(count: number): string {
  return count === 1 ? "(a file)" : `(${count} files)`;
}
