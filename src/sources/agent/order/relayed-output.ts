import type { CallContext } from "../../../catalog/call-context.ts";
import { isRecord } from "../../../core/is-record.ts";
import type { ClientLogLine } from "../../../mcp/messages/interim-messages.ts";
import type { AgentOutput } from "./merge-outputs.ts";

/**
 * How a hub shows the answer while it is being written, to a command of ours that hands it the order: as log lines of the
 * call, with what was added. Other clients don't ask for it.
 */
const logger = "clawport/order";
const metaKey = "clawport/output";

/** In the `_meta` of a call: the caller shows the answer while it is being written. */
export const outputMeta: Readonly<Record<string, unknown>> = { [metaKey]: true };

/** Sends what the agent writes to a caller that asked for it. */
export function relayOutput(context: Pick<CallContext, "meta" | "tell">): ((output: AgentOutput) => void) | undefined {
  if (context.meta?.[metaKey] !== true) return undefined;
  let sent = "";
  return (output) => {
    const text = output.kind === "partial" ? (output.text ?? "") : "";
    const from = text.startsWith(sent) ? sent.length : 0;
    sent = text;
    context.tell({ level: "info", logger, data: { kind: output.kind, from, text: text.slice(from) } });
  };
}

export function isOutputLine(line: ClientLogLine): boolean {
  return line.logger === logger;
}

/** `written` is what the agent has written so far of the current message. */
export function takeOutputLine({ data }: ClientLogLine, written: { text: string }): AgentOutput {
  const { kind, from, text } = isRecord(data) ? data : {};
  if (kind !== "partial" || typeof from !== "number" || typeof text !== "string") {
    written.text = "";
    return { kind: "block" };
  }
  written.text = written.text.slice(0, from) + text;
  return { kind: "partial", text: written.text };
}
