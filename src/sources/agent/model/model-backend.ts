import { randomUUID } from "node:crypto";
import { isStepCount, type LanguageModel, type ModelMessage, streamText } from "ai";
import { isFault } from "../../../core/fault.ts";
import { cancelledBy } from "../../../core/wait.ts";
import type { AgentTools } from "../agent-tools.ts";
import type { ConversationFiles } from "../conversations/conversation-files.ts";
import type { AgentReply, ReplyBackend, ReplyOptions, ReplyRequest } from "../reply-backend.ts";
import type { ModelSettings } from "./find-model.ts";
import { compactHistory, userMessage } from "./model-messages.ts";
import { createModelTools } from "./model-tools.ts";
import { modelFault } from "./open-model.ts";
import { createOrderBudget, type OrderBudget } from "./order-budget.ts";

export interface ModelBackendOptions {
  readonly settings: ModelSettings;
  readonly model: LanguageModel;
  readonly conversations: ConversationFiles;
  tools(): Promise<AgentTools>;
}

const instructions =
  "You carry out orders that another program or person hands you, with the tools you have. Nobody watches while you work: finish the job, then answer once, briefly and completely. Say plainly what you could not do.";

/** Our own agent: a model that uses the catalog's tools until it has an answer. */
export function createModelBackend({ settings, model, conversations, tools }: ModelBackendOptions): ReplyBackend {
  return { name: "model", getReply, [Symbol.asyncDispose]: () => Promise.resolve() };

  async function getReply(request: ReplyRequest, options: ReplyOptions): Promise<AgentReply> {
    const { signal } = options;
    if (signal.aborted) throw cancelledBy(signal);
    const budget = createOrderBudget(settings);
    try {
      const history = await conversations.read(request.sessionKey);
      const earlier = await compactHistory(history, { model, contextTokens: settings.contextTokens, budget }, options);
      if (budget.isUsedUp()) throw budget.fault();
      const { sent, stored } = await userMessage(request);
      const run = await runModel([...earlier, sent], budget, options);
      await conversations.write(request.sessionKey, [...earlier, stored, ...run.messages]);
      const usage = { tools: run.tools, tokens: budget.spent(), cost: budget.cost() };
      return { payloads: [{ text: run.text }], runId: randomUUID(), ...usage };
    } catch (error) {
      if (signal.aborted) throw cancelledBy(signal);
      if (isFault(error)) throw error;
      throw modelFault(settings, error);
    }
  }

  async function runModel(messages: readonly ModelMessage[], budget: OrderBudget, options: ReplyOptions) {
    const { signal, onPartial, onBlock, onToolResult, onActivity } = options;
    const usedTools = new Set<string>();
    let text = "";
    const flushText = (): void => {
      if (text !== "") onBlock({ text });
      text = "";
    };
    const modelTools = createModelTools(await tools(), options);
    const stream = streamText({
      model,
      instructions,
      messages: [...messages],
      tools: modelTools.tools,
      abortSignal: signal,
      maxRetries: 2,
      stopWhen: [isStepCount(settings.maxSteps), ({ steps }) => budget.isUsedUp(steps.map(({ usage }) => usage))],
      // Errors arrive in the stream; without this the library also prints them.
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
          usedTools.add(part.toolName);
          flushText();
          break;
        case "tool-result": {
          // A tool may end before its call is read here: only this is the place in the order of the answer.
          const output = modelTools.takeOutput(part.toolCallId);
          if (output !== undefined) onToolResult(output);
          break;
        }
        case "finish-step":
          if (part.finishReason !== "tool-calls") break;
          flushText();
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
    return { text, tools: [...usedTools], messages: await stream.responseMessages };
  }
}
