import { Fault } from "../../../core/fault.ts";

type Env = Readonly<Record<string, string | undefined>>;

export type ModelProvider = "anthropic" | "google" | "openai-compatible";

/** A model and how to reach it. */
export interface ModelSettings {
  readonly provider: ModelProvider;
  readonly name: string;
  readonly url?: string | undefined;
  readonly apiKey?: string | undefined;
  /** Model calls per order. */
  readonly maxSteps: number;
  /** Tokens per order, in and out. */
  readonly maxTokens: number;
  /** How long a conversation gets before it is summed up. */
  readonly contextTokens: number;
}

export interface ModelConfig {
  readonly name: string;
  readonly url?: string;
  readonly apiKey?: string;
  readonly maxSteps?: number;
  readonly maxTokens?: number;
  readonly contextTokens?: number;
}

/** The configured model, else the one the environment names; nothing where none is named. */
export function findModel(config: ModelConfig | undefined, env: Env): ModelSettings | undefined {
  const name = config?.name ?? env["CLAWPORT_MODEL"];
  if (name === undefined || name.trim() === "") return undefined;
  const { maxSteps = 25, maxTokens = 1_000_000, contextTokens = 60_000 } = config ?? {};
  const given = { maxSteps, maxTokens, contextTokens };
  const ownKey = config?.apiKey ?? env["CLAWPORT_MODEL_KEY"];
  const url = config?.url ?? (config === undefined ? env["CLAWPORT_MODEL_URL"] : undefined);
  if (url !== undefined && url !== "") return { ...given, provider: "openai-compatible", name, url, apiKey: ownKey };

  const [, provider, model] = /^(anthropic|openai|google)\/(.+)$/.exec(name) ?? [];
  switch (provider) {
    case "anthropic":
      return { ...given, provider, name: model!, apiKey: key(ownKey, env, provider, "ANTHROPIC_API_KEY") };
    case "google": {
      const apiKey = key(ownKey, env, provider, "GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY");
      return { ...given, provider, name: model!, apiKey };
    }
    case "openai": {
      const apiKey = key(ownKey, env, provider, "OPENAI_API_KEY");
      return { ...given, provider: "openai-compatible", name: model!, url: "https://api.openai.com/v1", apiKey };
    }
    default: {
      const message =
        `The model ${JSON.stringify(name.slice(0, 100))} has to be named with its provider (anthropic/…, openai/…, google/…), ` +
        "or with the address of a server that has it (CLAWPORT_MODEL_URL, or agent.model.url).";
      throw new Fault("config", message);
    }
  }
}

function key(own: string | undefined, env: Env, provider: string, ...names: readonly string[]): string {
  const found = own ?? names.map((name) => env[name]).find((value) => value !== undefined && value !== "");
  if (found !== undefined) return found;
  throw new Fault("config", `The models of ${provider} need a key: set ${names[0]}, or agent.model.apiKey.`);
}
