import type { LanguageModel } from "ai";
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
