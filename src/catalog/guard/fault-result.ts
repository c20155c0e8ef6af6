import { Fault, type FaultCode, isFaultCode } from "../../core/fault.ts";
import { asRecord } from "../../core/is-record.ts";
import { errorResult, type ToolResult } from "../../mcp/tool.ts";

/** In `_meta`: which fault it was, for programs, since a result has no codes. */
const codeMeta = "clawport/code";
const callIdMeta = "clawport/callId";

/** A call that was refused, or failed on the way to its tool, as the result that a model sees. */
export function faultResult(code: FaultCode, text: string, detail?: unknown): ToolResult {
  // The id of a call of which nobody knows whether it ran goes along. The rest of a detail may be another's secret.
  const { call_id: callId } = asRecord(detail);
  return {
    ...errorResult(text),
    _meta: { [codeMeta]: code, ...(typeof callId === "string" ? { [callIdMeta]: callId } : {}) },
  };
}

/** The fault that such a result tells of; nothing where the tool itself answered. */
export function faultIn({ isError, content, _meta: meta }: ToolResult): Fault | undefined {
  const code = asRecord(meta)[codeMeta];
  const [block] = content;
  if (isError !== true || !isFaultCode(code) || block?.type !== "text") return undefined;
  return new Fault(code, block.text);
}
