import { APICallError, type LanguageModel, RetryError } from "ai";
import { Fault, messageOf } from "../../../core/fault.ts";
import { quotedPeerText } from "../../../core/text/peer-text.ts";
import { redactKnown } from "../../../core/secrets/redact-known.ts";
import type { ModelSettings } from "./find-model.ts";

// The library prints warnings to stdout, which belongs to the protocol.
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });

/** Opens the configured model. Only the library for its provider is loaded. */
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

/** A helpful error from what the library threw: not how often it tried, but where. */
export function modelFault({ name, url, apiKey = "" }: ModelSettings, thrown: unknown): Fault {
  const error = RetryError.isInstance(thrown) ? thrown.lastError : thrown;
  const isUnreachable = APICallError.isInstance(error) && error.statusCode === undefined;
  const message = isUnreachable
    ? `No model server answers at ${new URL(url).origin}. Start it, or set its address with CLAWPORT_MODEL_URL or agent.model.url.`
    : `The model ${name} did not answer: ${quotedPeerText(redactKnown(messageOf(error), [apiKey]), 300)}`;
  return new Fault("unavailable", message, { cause: thrown });
}
