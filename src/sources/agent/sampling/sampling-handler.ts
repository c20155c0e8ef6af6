import type { CallContext } from "../../../catalog/call-context.ts";
import type { Caller } from "../../../catalog/caller.ts";
import type { Guard } from "../../../catalog/guard/guard.ts";
import { createSyntheticTool } from "../../../catalog/synthetic-tool.ts";
import type { CatalogTool } from "../../../catalog/source.ts";
import { Fault } from "../../../core/fault.ts";
import { prepareToSend } from "../../../core/http/turn-end.ts";
import type { Env } from "../../../core/process/child-env.ts";
import type { Answer, Question } from "../../../mcp/messages/interim-messages.ts";
import type { Tool, ToolResult } from "../../../mcp/messages/tool.ts";
import type { ModelSettings } from "../model/find-model.ts";
import { checkOrderDepth } from "../order/order-depth.ts";
import { parseSampling, type SamplingLimits, type SamplingRequest } from "./parse-sampling.ts";

/** Answers the sampling requests of MCP servers (`sampling/createMessage`) with the configured model. */
export type SamplingHandler = (server: string, question: Question, context: SamplingContext) => Promise<Answer>;

/** Without a caller and `ask`, that is outside a call, only the hub's user can be asked for approval. */
export type SamplingContext = Pick<CallContext, "signal" | "log"> & Partial<Pick<CallContext, "caller" | "ask">>;

export interface SamplingHandlerOptions {
  findModel(): ModelSettings | undefined;
  readonly guard: Pick<Guard, "call">;
  readonly env: Env;
  /** The most that the model may write in one answer. */
  readonly maxTokens: number;
}

/** Servers share one model: without a limit, one of them could block the others and run up a bill. */
const maxConcurrent = 4;

/**
 * Every request is a call of a tool `sampling__<server>`, so that rules, approvals, limits and the audit apply to it. The
 * model gets no tools: otherwise it could call the server again, without end.
 */
export function createSamplingHandler({ findModel, guard, env, maxTokens }: SamplingHandlerOptions): SamplingHandler {
  let running = 0;

  return async (server, question, { caller, signal, log, ask = noOneToAsk }) => {
    const settings = findModel();
    if (settings === undefined) throw noModel(server);
    checkOrderDepth(env);
    const request = parseSampling(question, limitsOf(settings, maxTokens));
    if (running >= maxConcurrent)
      throw new Fault("busy", `The model already answers ${maxConcurrent} sampling requests. Try again later.`);
    running++;
    try {
      const tool = samplingTool(server, settings, request);
      const context = { caller: samplingCaller(server, caller), signal, log, ask, progress, tell };
      return answerIn(await guard.call(tool, { messages: request.messages, system: request.system }, context));
    } finally {
      running--;
      prepareToSend();
    }
  };
}

/** A server that requests the model during a call does so on behalf of the caller. */
function samplingCaller(server: string, caller: Caller | undefined): Caller {
  return caller === undefined ? { door: "server", client: server } : { ...caller, server };
}

function limitsOf({ contextTokens }: ModelSettings, maxTokens: number): SamplingLimits {
  return { maxTokens, maxCharacters: contextTokens * 4 };
}

/** The tool for the guard to judge. */
function samplingTool(server: string, settings: ModelSettings, request: SamplingRequest): CatalogTool {
  const tool: Tool = {
    name: `sampling__${server}`,
    description: `Gets an answer from the model for the server ${server}.`,
    inputSchema: { type: "object" },
    annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
  };
  return createSyntheticTool("sampling", tool, async (_name, _args, { signal }) => {
    const { sampleModel } = await import("../model/sample-model.ts");
    return { content: [], structuredContent: await sampleModel(settings, request, signal) };
  });
}

function answerIn({ isError, content, structuredContent }: ToolResult): Answer {
  if (isError !== true) return structuredContent as Answer;
  const text = content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
  throw new Fault("denied", text);
}

function noModel(server: string): Fault {
  const message =
    `The server ${server} requests a model, but none is configured. Set agent.model in the configuration, or CLAWPORT_MODEL ` +
    "(and CLAWPORT_MODEL_URL for a local model).";
  return new Fault("missing-capability", message);
}

function noOneToAsk(): Promise<never> {
  return Promise.reject(new Fault("missing-capability", "No one can be asked."));
}

function progress(): void {}
function tell(): void {}
