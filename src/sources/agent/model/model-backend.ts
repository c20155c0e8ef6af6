import { randomUUID } from "node:crypto";
import {
  generateText,
  isStepCount,
  type LanguageModel,
  type ModelMessage,
  type StepResult,
  streamText,
  type ToolSet,
} from "ai";
import { cancelledBy } from "../../../core/cancelled.ts";
import { Fault, isFault } from "../../../core/fault.ts";
import { messageOf } from "../../../core/thrown.ts";
import type { AgentTools } from "../agent-tools.ts";
import type { Reply, ReplyBackend, ReplyContext, ReplyOptions } from "../reply.ts";
import { splitHistory, summaryOrder, withSummary } from "./compact.ts";
import type { ModelSettings } from "./find-model.ts";
import type { Histories } from "./history.ts";
import { modelTools } from "./model-tools.ts";
import { userMessage } from "./user-message.ts";

export interface ModelBackendOptions {
  readonly settings: ModelSettings;
  readonly model: LanguageModel;
  readonly histories: Histories;
  tools(): Promise<AgentTools>;
}

const instructions =
  "You carry out orders that another program or person hands you, with the tools you have. Nobody watches while you work: finish the job, then answer once, briefly and completely. Say plainly what you could not do.";

/** An agent of our own: a model that uses the catalog's tools until it has an answer. */
export function createModelBackend({ settings, model, histories, tools }: ModelBackendOptions): ReplyBackend {
  return { name: "model", getReply, [Symbol.asyncDispose]: () => Promise.resolve() };

  async function getReply(context: ReplyContext, options: ReplyOptions): Promise<Reply> {
    const { signal } = options;
    if (signal.aborted) throw cancelledBy(signal);
    try {
      const earlier = await shorten(await histories.read(context.sessionKey), options);
      const { sent, kept } = await userMessage(context);
      const run = await loop([...earlier, sent], options);
      await histories.write(context.sessionKey, [...earlier, kept, ...run.messages]);
      return { payloads: [{ text: run.text }], runId: randomUUID(), tools: run.tools, tokens: run.tokens };
    } catch (error) {
      if (signal.aborted) throw cancelledBy(signal);
      if (isFault(error)) throw error;
      throw new Fault("unavailable", `The model ${settings.name} did not answer: ${messageOf(error)}`, {
        cause: error,
      });
    }
  }

  async function loop(messages: readonly ModelMessage[], options: ReplyOptions) {
    const { signal, onPartial, onBlock, onActivity } = options;
    const used = new Set<string>();
    let text = "";
    const stream = streamText({
      model,
      instructions,
      messages: [...messages],
      tools: modelTools(await tools(), options),
      abortSignal: signal,
      maxRetries: 2,
      stopWhen: [isStepCount(settings.maxSteps), isOverBudget],
      // Errors come with the stream; without this the library prints them.
      onError: () => {},
    });
    onActivity("thinking");
    for await (const part of stream.fullStream) {
      switch (part.type) {
        case "text-delta":
          text += part.text;
          onActivity("writing");
          onPartial(text);
          break;
        case "tool-call":
          used.add(part.toolName);
          break;
        case "finish-step":
          if (part.finishReason !== "tool-calls") break;
          if (text !== "") onBlock({ text });
          text = "";
          onActivity("thinking");
          break;
        case "error":
          throw part.error;
        case "abort":
          throw cancelledBy(signal);
        case "reasoning-delta":
          onActivity("thinking");
          break;
        default:
      }
    }
    const usage = await stream.totalUsage;
    const tokens = { input: usage.inputTokens ?? 0, output: usage.outputTokens ?? 0 };
    if ((await stream.finishReason) === "tool-calls") throw stopped(tokens.input + tokens.output);
    return { text, tokens, tools: [...used], messages: await stream.responseMessages };
  }

  function isOverBudget({ steps }: { steps: readonly StepResult<ToolSet>[] }): boolean {
    return steps.reduce((sum, { usage }) => sum + (usage.totalTokens ?? 0), 0) >= settings.maxTokens;
  }

  function stopped(tokens: number): Fault {
    const message =
      `The model was stopped before it had an answer: ${settings.maxSteps} steps and ${settings.maxTokens} tokens are allowed ` +
      `per order (agent.model.maxSteps, agent.model.maxTokens), and it has used ${tokens} tokens.`;
    return new Fault("unavailable", message, { detail: { tokens } });
  }

  /** A long conversation goes on with a summary of its older part; where even that fails, without it. */
  async function shorten(messages: readonly ModelMessage[], { signal, log, onActivity }: ReplyOptions) {
    const { old, recent } = splitHistory(messages, settings.contextTokens);
    if (old.length === 0) return recent;
    onActivity("summing up the conversation");
    try {
      const order: ModelMessage = { role: "user", content: summaryOrder };
      const { text } = await generateText({ model, messages: [...old, order], abortSignal: signal });
      return withSummary(text, recent);
    } catch (error) {
      signal.throwIfAborted();
      log.warn("a conversation could not be summed up; its older part is left out", { error });
      return recent;
    }
  }
}
