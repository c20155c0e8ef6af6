import { randomUUID } from "node:crypto";
import { generateText, isStepCount, type LanguageModel, type ModelMessage, streamText } from "ai";
import { isFault } from "../../../core/fault.ts";
import { cancelledBy } from "../../../core/wait.ts";
import type { AgentTools } from "../agent-tools.ts";
import type { ConversationFiles } from "../conversations/conversation-files.ts";
import type { AgentReply, ReplyBackend, ReplyOptions, ReplyRequest } from "../reply-backend.ts";
import type { ModelSettings } from "./find-model.ts";
import { splitHistory, summaryPrompt, userMessage, withSummary } from "./model-messages.ts";
import { modelTools } from "./model-tools.ts";
import { modelFault } from "./open-model.ts";
import { createOrderBudget, type OrderBudget } from "./order-budget.ts";

export interface ModelBackendOptions {
  readonly settings: ModelSettings;
  readonly model: LanguageModel;
  readonly histories: ConversationFiles;
  tools(): Promise<AgentTools>;
}

const instructions =
  "You carry out orders that another program or person hands you, with the tools you have. Nobody watches while you work: finish the job, then answer once, briefly and completely. Say plainly what you could not do.";

/** An agent of our own: a model that uses the catalog's tools until it has an answer. */
export function createModelBackend({ settings, model, histories, tools }: ModelBackendOptions): ReplyBackend {
  return { name: "model", getReply, [Symbol.asyncDispose]: () => Promise.resolve() };

  async function getReply(context: ReplyRequest, options: ReplyOptions): Promise<AgentReply> {
    const { signal } = options;
    if (signal.aborted) throw cancelledBy(signal);
    const budget = createOrderBudget(settings);
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

  async function loop(messages: readonly ModelMessage[], budget: OrderBudget, options: ReplyOptions) {
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
  async function shorten(
    messages: readonly ModelMessage[],
    budget: OrderBudget,
    { signal, log, onActivity }: ReplyOptions,
  ) {
    const { old, recent } = splitHistory(messages, settings.contextTokens);
    if (old.length === 0) return recent;
    onActivity("summing up the conversation");
    try {
      const order: ModelMessage = { role: "user", content: summaryPrompt };
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
