import type { ModelConfig } from "../../../core/config/agent-config.ts";
import { Fault } from "../../../core/fault.ts";
import { quoted } from "../../../core/text/peer-text.ts";
import type { Env } from "../../../core/process/child-env.ts";

export type ModelProvider = "anthropic" | "google" | "openai-compatible";

/** A model and how to reach it. */
export interface ModelSettings {
  readonly provider: ModelProvider;
  readonly name: string;
  readonly url: string;
  readonly apiKey?: string | undefined;
  /** Model calls per order. */
  readonly maxSteps: number;
  /** Tokens per order, in and out. */
  readonly maxTokens: number;
  /** How long a conversation may get before it is summarized. */
  readonly contextTokens: number;
  readonly prices?: ModelConfig["prices"] | undefined;
  /** Money per order, at these prices. */
  readonly maxCost?: number | undefined;
}

type ProviderName = keyof typeof providers;

/** The variables that each provider's own programs read, and its address. */
const providers = {
  anthropic: {
    keyVariables: ["ANTHROPIC_API_KEY"],
    addressVariable: "ANTHROPIC_BASE_URL",
    defaultUrl: "https://api.anthropic.com/v1",
  },
  openai: {
    keyVariables: ["OPENAI_API_KEY"],
    addressVariable: "OPENAI_BASE_URL",
    defaultUrl: "https://api.openai.com/v1",
  },
  google: {
    keyVariables: ["GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"],
    addressVariable: "GOOGLE_GEMINI_BASE_URL",
    defaultUrl: "https://generativelanguage.googleapis.com/v1beta",
  },
} as const;

/** The configured model, else the one that the environment names; undefined if there is none. */
export function findModel(config: ModelConfig | undefined, env: Env): ModelSettings | undefined {
  const given = config?.name ?? env["CLAWPORT_MODEL"];
  if (given === undefined || given.trim() === "") return undefined;
  const limits = limitsOf(config);
  const ownKey = config?.apiKey ?? env["CLAWPORT_MODEL_KEY"];
  const url = nonBlank(config?.url ?? (config === undefined ? env["CLAWPORT_MODEL_URL"] : undefined));
  const [, prefix, rest] = /^(anthropic|openai|google)\/(.+)$/.exec(given) ?? [];
  // With an own address the whole name belongs to the server: some servers use such prefixes themselves.
  const named = config?.provider ?? (url === undefined ? (prefix as ProviderName | undefined) : undefined);
  const name = named !== undefined && prefix === named ? rest! : given;
  if (named === undefined) {
    if (url === undefined) throw unknownProvider(given);
    return { ...limits, provider: "openai-compatible", name, url, apiKey: ownKey };
  }
  const { keyVariables, addressVariable, defaultUrl } = providers[named];
  return {
    ...limits,
    provider: named === "openai" ? "openai-compatible" : named,
    name,
    url: url ?? baseUrl(env[addressVariable], defaultUrl),
    // A provider's key from the environment must not go to another address.
    apiKey: url === undefined ? apiKeyOf(ownKey, env, named, keyVariables) : ownKey,
  };
}

function limitsOf(config: ModelConfig | undefined) {
  const { maxSteps = 25, maxTokens = 1_000_000, contextTokens = 60_000, prices, maxCost } = config ?? {};
  return { maxSteps, maxTokens, contextTokens, prices, maxCost };
}

/** The providers' own programs leave the version out of the address; the library needs it. */
function baseUrl(given: string | undefined, defaultUrl: string): string {
  const address = nonBlank(given)?.replace(/\/+$/, "");
  if (address === undefined) return defaultUrl;
  return /\/v\d[a-z0-9]*$/.test(address) ? address : `${address}${new URL(defaultUrl).pathname}`;
}

function unknownProvider(name: string): Fault {
  const message =
    `The model ${quoted(name, 100)} has no provider. Name it with one (anthropic/…, openai/…, google/…), ` +
    "or set the address of its server (CLAWPORT_MODEL_URL or agent.model.url).";
  return new Fault("config", message);
}

function apiKeyOf(own: string | undefined, env: Env, provider: string, names: readonly string[]): string {
  const found = own ?? names.map((name) => nonBlank(env[name])).find((value) => value !== undefined);
  if (found !== undefined) return found;
  throw new Fault("config", `The models of ${provider} need an API key: set ${names[0]} or agent.model.apiKey.`);
}

function nonBlank(value: string | undefined): string | undefined {
  return value === undefined || value.trim() === "" ? undefined : value;
}
