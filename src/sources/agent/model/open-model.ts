import type { LanguageModel } from "ai";
import type { ModelSettings } from "./find-model.ts";

/** The model behind the settings. Only the part of the library that speaks to its provider is loaded. */
export async function openModel({ provider, name, url = "", apiKey }: ModelSettings): Promise<LanguageModel> {
  const auth = apiKey === undefined ? {} : { apiKey };
  switch (provider) {
    case "anthropic":
      return (await import("@ai-sdk/anthropic")).createAnthropic(auth)(name);
    case "google":
      return (await import("@ai-sdk/google")).createGoogleGenerativeAI(auth)(name);
    case "openai-compatible": {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      return createOpenAICompatible({ name: "model", baseURL: url, includeUsage: true, ...auth })(name);
    }
  }
}
