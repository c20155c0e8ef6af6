import { APICallError, type LanguageModel, RetryError } from "ai";
import { Fault, messageOf } from "../../../core/fault.ts";
import { quotedPeerText } from "../../../core/peer-text.ts";
import { redactKnown } from "../../../core/secrets/redact.ts";
import type { ModelSettings } from "./find-model.ts";

// The library warns on the console of what it makes up for; the console is the protocol's, or a person's.
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });

/** The model behind the settings. Only the part of the library that speaks to its provider is loaded. */
export async function openModel({ provider, name, url: baseURL, apiKey }: ModelSettings): Promise<LanguageModel> {
  const auth = apiKey === undefined ? {} : { apiKey };
  switch (provider) {
    case "anthropic":
      return (await import("@ai-sdk/anthropic")).createAnthropic({ baseURL, apiKey: apiKey ?? "" })(name);
    case "google":
      return (await import("@ai-sdk/google")).createGoogleGenerativeAI({ baseURL, apiKey: apiKey ?? "" })(name);
    case "openai-compatible": {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      return createOpenAICompatible({ name: "model", baseURL, includeUsage: true, ...auth })(name);
    }
  }
}

/** What the library threw, in words that help: how often it tried is of no use, where it tried is. */
export function modelFault({ name, url, apiKey = "" }: ModelSettings, thrown: unknown): Fault {
  const error = RetryError.isInstance(thrown) ? thrown.lastError : thrown;
  const isSilent = APICallError.isInstance(error) && error.statusCode === undefined;
  const message = isSilent
    ? `No model server answers at ${new URL(url).origin}. Is it running? CLAWPORT_MODEL_URL says where it is, or agent.model.url in the configuration.`
    : `The model ${name} did not answer: ${quotedPeerText(redactKnown(messageOf(error), [apiKey]), 300)}`;
  return new Fault("unavailable", message, { cause: thrown });
}
