import { expect, test } from "vitest";
import { findModel } from "./find-model.ts";

test("without a name there is no model", () => {
  expect(findModel(undefined, {})).toBeUndefined();
  expect(findModel(undefined, { OPENAI_API_KEY: "k", CLAWPORT_MODEL: " " })).toBeUndefined();
});

test("a provider's model takes the provider's key", () => {
  const env = { ANTHROPIC_API_KEY: "a", OPENAI_API_KEY: "o", GEMINI_API_KEY: "g" };
  const find = (CLAWPORT_MODEL: string) => findModel(undefined, { ...env, CLAWPORT_MODEL });
  expect(find("anthropic/claude")).toMatchObject({ provider: "anthropic", name: "claude", apiKey: "a" });
  expect(find("google/gemini")).toMatchObject({ provider: "google", name: "gemini", apiKey: "g" });
  expect(find("openai/gpt")).toMatchObject({
    provider: "openai-compatible",
    url: "https://api.openai.com/v1",
    apiKey: "o",
  });
});

test("a key from the environment is never sent to a configured address", () => {
  const env = { OPENAI_API_KEY: "o", CLAWPORT_MODEL: "openai/gpt", CLAWPORT_MODEL_URL: "http://127.0.0.1:1/v1" };
  expect(findModel(undefined, env)).toMatchObject({ name: "openai/gpt", apiKey: undefined });
});

test("the configuration overrides the environment, limits included", () => {
  const config = { name: "llama", url: "http://127.0.0.1:11434/v1", maxSteps: 3 };
  const found = findModel(config, { CLAWPORT_MODEL: "anthropic/claude", CLAWPORT_MODEL_URL: "http://elsewhere/v1" });
  expect(found).toMatchObject({ name: "llama", url: config.url, maxSteps: 3, maxTokens: 1_000_000 });
});

test("a server with a provider's API has its own address, and gets only its own key", () => {
  const config = { name: "claude", provider: "anthropic" as const, url: "http://127.0.0.1:1/v1" };
  const found = findModel(config, { ANTHROPIC_API_KEY: "a" });
  expect(found).toMatchObject({ provider: "anthropic", name: "claude", url: config.url, apiKey: undefined });
});

test("an address from the environment may leave out the version", () => {
  const find = (ANTHROPIC_BASE_URL: string) =>
    findModel(undefined, { CLAWPORT_MODEL: "anthropic/m", ANTHROPIC_API_KEY: "a", ANTHROPIC_BASE_URL })?.url;
  expect(find("http://127.0.0.1:1/")).toBe("http://127.0.0.1:1/v1");
  expect(find("http://127.0.0.1:1/v1")).toBe("http://127.0.0.1:1/v1");
});

test("a missing key or provider is reported with the setting to make", () => {
  expect(() => findModel({ name: "anthropic/claude" }, {})).toThrow(/ANTHROPIC_API_KEY/);
  expect(() => findModel({ name: "llama" }, {})).toThrow(/CLAWPORT_MODEL_URL/);
});
