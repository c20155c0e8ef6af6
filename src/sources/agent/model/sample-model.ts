import { generateText, type ModelMessage } from "ai";
import type { Answer } from "../../../mcp/messages/interim-messages.ts";
import type { SampledMessage, SampledPart, SamplingRequest } from "../sampling/parse-sampling.ts";
import type { ModelSettings } from "./find-model.ts";
import { modelFault, openModel } from "./open-model.ts";

/** Gets one answer from the model, without tools, as a result of `sampling/createMessage`. */
export async function sampleModel(
  settings: ModelSettings,
  request: SamplingRequest,
  signal: AbortSignal,
): Promise<Answer> {
  const { messages, system, maxTokens, temperature, stopSequences } = request;
  try {
    const { text, finishReason } = await generateText({
      model: await openModel(settings),
      messages: messages.map(modelMessage),
      maxOutputTokens: maxTokens,
      abortSignal: signal,
      maxRetries: 1,
      ...(system === undefined ? {} : { instructions: system }),
      ...(temperature === undefined ? {} : { temperature }),
      ...(stopSequences === undefined ? {} : { stopSequences: [...stopSequences] }),
    });
    const stopReason = finishReason === "length" ? "maxTokens" : "endTurn";
    return { role: "assistant", content: { type: "text", text }, model: settings.name, stopReason };
  } catch (error) {
    signal.throwIfAborted();
    throw modelFault(settings, error);
  }
}

function modelMessage({ role, parts }: SampledMessage): ModelMessage {
  if (role === "user") return { role, content: parts.map(userPart) };
  const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : [`[${part.type}]`])).join("\n");
  return { role, content: text };
}

function userPart(part: SampledPart) {
  if (part.type === "text") return { type: "text" as const, text: part.text };
  return { type: "file" as const, data: part.data, mediaType: part.mimeType };
}
