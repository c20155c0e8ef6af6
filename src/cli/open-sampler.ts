import type { Guard } from "../catalog/guard/guard.ts";
import type { AgentConfig } from "../core/config/agent-schema.ts";
import { findModel } from "../sources/agent/model/find-model.ts";
import { createSampler, type Sampler } from "../sources/agent/sampling/sampler.ts";
import type { World } from "./world.ts";

export interface OpenSamplerOptions {
  readonly config: AgentConfig;
  readonly guard: Guard;
  readonly env: World["env"];
}

/** The configured model for the configured servers, with the guard between them. */
export function openSampler({ config, guard, env }: OpenSamplerOptions): Sampler {
  const { maxTokens = 4096 } = config.sampling ?? {};
  return createSampler({ findModel: () => findModel(config.model, env), guard, env, maxTokens });
}
