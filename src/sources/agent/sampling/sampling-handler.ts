import type { CallContext } from "../../../catalog/call-context.ts";
import type { CatalogTool, ToolSource } from "../../../catalog/source.ts";
import { Fault } from "../../../core/fault.ts";
import type { Answer, Question } from "../../../mcp/messages/interim-messages.ts";
import type { Tool, ToolResult } from "../../../mcp/messages/tool.ts";
import type { ModelSettings } from "../model/find-model.ts";
import { checkOrderDepth } from "../order/order-depth.ts";
import { parseSampling, type SamplingLimits, type SamplingRequest } from "./parse-sampling.ts";

/** Lends the configured model to MCP servers that ask for one (`sampling/createMessage`). */
export type SamplingHandler = (server: string, question: Question, context: SamplingContext) => Promise<Answer>;

/** The call in which the server asks; without one nobody but those at the hub can be asked. */
export type SamplingContext = Pick<CallContext, "signal" | "log"> & Partial<Pick<CallContext, "ask">>;

export interface SamplingHandlerOptions {
  findModel(): ModelSettings | undefined;
  readonly guard: { call(tool: CatalogTool, args: unknown, context: CallContext): Promise<ToolResult> };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What a server may have the model write at once. */
  readonly maxTokens: number;
}

/** Servers share one model: more at once would let one of them take it from all others, and run up a bill. */
const maxConcurrent = 4;

/**
 * Every request is a call of a tool `sampling__<server>`, so that rules, approvals, limits and the audit hold for it. The
 * model is lent without tools: what it writes can't call the server again, which would have no end.
 */
export function createSamplingHandler({ findModel, guard, env, maxTokens }: SamplingHandlerOptions): SamplingHandler {
  let running = 0;

  return async (server, question, { signal, log, ask = noOneToAsk }) => {
    const settings = findModel();
    if (settings === undefined) throw noModel(server);
    checkOrderDepth(env);
    const request = parseSampling(question, limitsOf(settings, maxTokens));
    if (running >= maxConcurrent)
      throw new Fault("busy", `${maxConcurrent} servers are having the model write already.`);
    running++;
    try {
      const tool = samplingTool(server, settings, request);
      const context = { caller: { door: "server", client: server }, signal, log, ask, progress, tell } as const;
      return answerIn(await guard.call(tool, { messages: request.messages, system: request.system }, context));
    } finally {
      running--;
    }
  };
}

function limitsOf({ contextTokens }: ModelSettings, maxTokens: number): SamplingLimits {
  return { maxTokens, maxCharacters: contextTokens * 4 };
}

/** What the guard judges. It is made for the one request and never listed. */
function samplingTool(server: string, settings: ModelSettings, request: SamplingRequest): CatalogTool {
  const tool: Tool = {
    name: `sampling__${server}`,
    description: `Has the model write something for the server ${server}.`,
    inputSchema: { type: "object" },
    annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
  };
  const source: ToolSource = {
    id: "sampling",
    kind: "agent",
    trusted: true,
    tools: () => [tool],
    async call(_name, _args, { signal }) {
      const { sampleModel } = await import("./sample-model.ts");
      return { content: [], structuredContent: await sampleModel(settings, request, signal) };
    },
    onChange: () => () => {},
    close: () => Promise.resolve(),
  };
  return { name: tool.name, source, tool, definition: tool };
}

function answerIn({ isError, content, structuredContent }: ToolResult): Answer {
  if (isError !== true) return structuredContent as Answer;
  const text = content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
  throw new Fault("denied", text);
}

function noModel(server: string): Fault {
  const message =
    `The server ${server} asks for a model, and none is named here: set agent.model in the configuration, or CLAWPORT_MODEL ` +
    "(CLAWPORT_MODEL_URL for a local one).";
  return new Fault("missing-capability", message);
}

function noOneToAsk(): Promise<never> {
  return Promise.reject(new Fault("missing-capability", "Nobody is there to be asked."));
}

function progress(): void {}
function tell(): void {}
