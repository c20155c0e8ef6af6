import { dynamicTool, jsonSchema, type ToolSet } from "ai";
import { roundNumbers } from "../../../core/exact-number.ts";
import { faultFromResult } from "../../../catalog/guard/guard.ts";
import { Fault, messageOf, toFault } from "../../../core/fault.ts";
import { visibleText } from "../../../core/text/peer-text.ts";
import type { ToolResult } from "../../../mcp/messages/tool.ts";
import { type AgentTools, resultPayloads } from "../agent-tools.ts";
import type { ReplyOptions, ReplyPayload } from "../reply-backend.ts";

/** A longer result would fill the model's context by itself. */
const maxResultLength = 50_000;

export interface ModelTools {
  /** The tools as the library needs them. The model gets a result's text. */
  readonly tools: ToolSet;
  /** What the user gets of a call's result: media, or why it is missing. To be fetched when the call has ended. */
  takeOutput(callId: string): ReplyPayload | undefined;
}

/** The tools of the catalog that the caller of the order can reach. */
export function createModelTools(tools: AgentTools, options: ReplyOptions): ModelTools {
  const outputs = new Map<string, ReplyPayload>();
  const entries = tools.list(options.caller).map(({ name, description, inputSchema }) => {
    const tool = dynamicTool({
      description: description ?? name,
      inputSchema: jsonSchema(roundNumbers(inputSchema) as typeof inputSchema),
      async execute(input, { toolCallId }) {
        const { forModel, forUser } = await runTool(tools, name, input, options);
        if (forUser !== undefined) outputs.set(toolCallId, forUser);
        return forModel;
      },
      toModelOutput: ({ output }) => ({ type: "text", value: String(output) }),
    });
    return [name, tool] as const;
  });
  return {
    tools: Object.fromEntries(entries),
    takeOutput(callId) {
      const output = outputs.get(callId);
      outputs.delete(callId);
      return output;
    },
  };
}

interface ToolOutput {
  readonly forModel: string;
  readonly forUser?: ReplyPayload | undefined;
}

async function runTool(tools: AgentTools, name: string, input: unknown, options: ReplyOptions): Promise<ToolOutput> {
  options.onActivity(`using ${name}`);
  let result: ToolResult;
  try {
    result = await tools.call(name, input, { ...options, ask: askUserOnly(options) });
  } catch (error) {
    options.signal.throwIfAborted();
    return { forModel: `Error: ${messageOf(error)}`, forUser: missingResult(name, toFault(error)) };
  }
  const payloads = resultPayloads(result);
  const media = payloads.flatMap((payload) => payload.media ?? []);
  const texts = payloads.flatMap(({ text }) => text ?? []);
  const notes = media.map(({ name: file, mimeType }) => `[the user is shown ${file}, ${mimeType}]`);
  const full = [...texts, ...notes].join("\n").trim();
  const cut = full.length > maxResultLength ? `${full.slice(0, maxResultLength)}\n[cut off here]` : full;
  return {
    forModel: result.isError === true ? `Error: ${cut}` : cut || "(nothing)",
    forUser: media.length > 0 ? { media } : missingResult(name, faultFromResult(result)),
  };
}

/** A result that was lost on its way. The model gets an error, but it may not pass that on. */
function missingResult(name: string, fault: Fault | undefined): ReplyPayload | undefined {
  if (fault?.code !== "too-large" && fault?.code !== "outcome-unknown") return undefined;
  return { text: `[The result of ${name} is missing: ${visibleText(fault.message, 500)}]` };
}

/** A server that requests a model gets ours, not the caller's. */
function askUserOnly({ ask }: ReplyOptions): ReplyOptions["ask"] {
  return async (question) => {
    if (question.method !== "sampling/createMessage") return ask(question);
    throw new Fault("missing-capability", "The agent uses its own model.");
  };
}
