import { dynamicTool, jsonSchema, type ToolSet } from "ai";
import { Fault, messageOf } from "../../../core/fault.ts";
import type { ToolResult } from "../../../mcp/messages/tool.ts";
import { type AgentTools, resultPayload } from "../agent-tools.ts";
import type { ReplyOptions } from "../reply-backend.ts";

/** A longer result would fill the model's context by itself. */
const maxResultLength = 50_000;

/** The catalog's tools as the library needs them. The model gets a result's text; its media go to the user. */
export function modelTools(tools: AgentTools, options: ReplyOptions): ToolSet {
  return Object.fromEntries(
    tools.list(options.caller).map(({ name, description, inputSchema }) => [
      name,
      dynamicTool({
        description: description ?? name,
        inputSchema: jsonSchema(inputSchema),
        execute: async (input) => runTool(tools, name, input, options),
        toModelOutput: ({ output }) => ({ type: "text", value: String(output) }),
      }),
    ]),
  );
}

async function runTool(tools: AgentTools, name: string, input: unknown, options: ReplyOptions): Promise<string> {
  options.onActivity(`using ${name}`);
  let result: ToolResult;
  try {
    result = await tools.call(name, input, { ...options, ask: askUserOnly(options) });
  } catch (error) {
    options.signal.throwIfAborted();
    return `Error: ${messageOf(error)}`;
  }
  const { text = "", media = [] } = resultPayload(result);
  if (media.length > 0) options.onToolResult({ media });
  const notes = media.map(({ name: file, mimeType }) => `[the user is shown ${file}, ${mimeType}]`);
  const full = [text, ...notes].join("\n").trim();
  const cut = full.length > maxResultLength ? `${full.slice(0, maxResultLength)}\n[cut off here]` : full;
  return result.isError === true ? `Error: ${cut}` : cut || "(nothing)";
}

/** A server that requests a model gets ours, not the caller's. */
function askUserOnly({ ask }: ReplyOptions): ReplyOptions["ask"] {
  return async (question) => {
    if (question.method !== "sampling/createMessage") return ask(question);
    throw new Fault("missing-capability", "The agent uses its own model.");
  };
}
