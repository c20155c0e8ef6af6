import type { ModelConfig } from "../../../core/config/agent-config.ts";
import { Fault } from "../../../core/fault.ts";
import { quoted } from "../../../core/peer-text.ts";

type Env = Readonly<Record<string, string | undefined>>;

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
  /** How long a conversation gets before it is summed up. */
  readonly contextTokens: number;
  readonly prices?: ModelConfig["prices"] | undefined;
  /** Money per order, by the prices. */
  readonly maxCost?: number | undefined;
}

type ProviderName = keyof typeof providers;

/** What each provider's own programs go by, and where it is. */
const providers = {
  anthropic: { keys: ["ANTHROPIC_API_KEY"], address: "ANTHROPIC_BASE_URL", home: "https://api.anthropic.com/v1" },
  openai: { keys: ["OPENAI_API_KEY"], address: "OPENAI_BASE_URL", home: "https://api.openai.com/v1" },
  google: {
    keys: ["GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"],
    address: "GOOGLE_GEMINI_BASE_URL",
    home: "https://generativelanguage.googleapis.com/v1beta",
  },
} as const;

/** The configured model, else the one the environment names; nothing where none is named. */
export function findModel(config: ModelConfig | undefined, env: Env): ModelSettings | undefined {
  const given = config?.name ?? env["CLAWPORT_MODEL"];
  if (given === undefined || given.trim() === "") return undefined;
  const limits = limitsOf(config);
  const ownKey = config?.apiKey ?? env["CLAWPORT_MODEL_KEY"];
  const url = text(config?.url ?? (config === undefined ? env["CLAWPORT_MODEL_URL"] : undefined));
  const [, prefix, rest] = /^(anthropic|openai|google)\/(.+)$/.exec(given) ?? [];
  // With an address of its own the whole name is the server's: some have such prefixes themselves.
  const named = config?.provider ?? (url === undefined ? (prefix as ProviderName | undefined) : undefined);
  const name = named !== undefined && prefix === named ? rest! : given;
  if (named === undefined) {
    if (url === undefined) throw unknownProvider(given);
    return { ...limits, provider: "openai-compatible", name, url, apiKey: ownKey };
  }
  const { keys, address, home } = providers[named];
  return {
    ...limits,
    provider: named === "openai" ? "openai-compatible" : named,
    name,
    url: url ?? baseUrl(env[address], home),
    // A key of the environment is for the address of the environment, never for another one.
    apiKey: url === undefined ? key(ownKey, env, named, keys) : ownKey,
  };
}

function limitsOf(config: ModelConfig | undefined) {
  const { maxSteps = 25, maxTokens = 1_000_000, contextTokens = 60_000, prices, maxCost } = config ?? {};
  return { maxSteps, maxTokens, contextTokens, prices, maxCost };
}

/** Programs of the providers leave the version out of the address; the library wants it. */
function baseUrl(given: string | undefined, home: string): string {
  const address = text(given)?.replace(/\/+$/, "");
  if (address === undefined) return home;
  return /\/v\d[a-z0-9]*$/.test(address) ? address : `${address}${new URL(home).pathname}`;
}

function unknownProvider(name: string): Fault {
  const message =
    `The model ${quoted(name, 100)} has to be named with its provider (anthropic/…, openai/…, google/…), ` +
    "or with the address of a server that has it (CLAWPORT_MODEL_URL, or agent.model.url).";
  return new Fault("config", message);
}

function key(own: string | undefined, env: Env, provider: string, names: readonly string[]): string {
  const found = own ?? names.map((name) => text(env[name])).find((value) => value !== undefined);
  if (found !== undefined) return found;
  throw new Fault("config", `The models of ${provider} need a key: set ${names[0]}, or agent.model.apiKey.`);
}

function text(value: string | undefined): string | undefined {
  return value === undefined || value.trim() === "" ? undefined : value;
}
