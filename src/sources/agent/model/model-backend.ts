import { randomUUID } from "node:crypto";
import { generateText, isStepCount, type LanguageModel, type ModelMessage, streamText } from "ai";
import { cancelledBy } from "../../../core/cancelled.ts";
import { isFault } from "../../../core/fault.ts";
import type { AgentTools } from "../agent-tools.ts";
import type { Reply, ReplyBackend, ReplyContext, ReplyOptions } from "../reply.ts";
import { type Budget, createBudget } from "./budget.ts";
import { splitHistory, summaryOrder, withSummary } from "./compact.ts";
import type { ModelSettings } from "./find-model.ts";
import type { Histories } from "./history.ts";
import { modelFault } from "./model-fault.ts";
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
    const budget = createBudget(settings);
    try {
      const earlier = await shorten(await histories.read(context.sessionKey), budget, options);
      if (budget.isUp()) throw budget.fault();
      const { sent, kept } = await userMessage(context);
      const run = await loop([...earlier, sent], budget, options);
      await histories.write(context.sessionKey, [...earlier, kept, ...run.messages]);
      const used = { tools: run.tools, tokens: budget.spent(), cost: budget.cost() };
      return { payloads: [{ text: run.text }], runId: randomUUID(), ...used };
    } catch (error) {
      if (signal.aborted) throw cancelledBy(signal);
      if (isFault(error)) throw error;
      throw modelFault(settings, error);
    }
  }

  async function loop(messages: readonly ModelMessage[], budget: Budget, options: ReplyOptions) {
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
      stopWhen: [isStepCount(settings.maxSteps), ({ steps }) => budget.isUp(steps.map(({ usage }) => usage))],
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
    budget.add(await stream.totalUsage);
    if ((await stream.finishReason) === "tool-calls") throw budget.fault();
    return { text, tools: [...used], messages: await stream.responseMessages };
  }

  /** A long conversation goes on with a summary of its older part; where even that fails, without it. */
  async function shorten(messages: readonly ModelMessage[], budget: Budget, { signal, log, onActivity }: ReplyOptions) {
    const { old, recent } = splitHistory(messages, settings.contextTokens);
    if (old.length === 0) return recent;
    onActivity("summing up the conversation");
    try {
      const order: ModelMessage = { role: "user", content: summaryOrder };
      const { text, usage } = await generateText({ model, messages: [...old, order], abortSignal: signal });
      budget.add(usage);
      return withSummary(text, recent);
    } catch (error) {
      signal.throwIfAborted();
      log.warn("a conversation could not be summed up; its older part is left out", { error });
      return recent;
    }
  }
}
