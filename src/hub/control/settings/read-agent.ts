import type { AgentConfig } from "../../../core/config/agent-config.ts";
import { messageOf } from "../../../core/fault.ts";
import type { World } from "../../../core/process/world.ts";
import { redactText } from "../../../core/secrets/redact.ts";
import { gatewayEndpoint, locateGateway } from "../../../openclaw/locate-gateway.ts";
import { findModel } from "../../../sources/agent/model/find-model.ts";
import type { AgentState } from "./settings-control.ts";

export interface AgentFacts extends Pick<World, "env" | "homedir"> {
  readonly config: AgentConfig;
}

/** Which agent would take the next order, chosen as an order would choose it. */
export async function readAgent({ config, env, homedir }: AgentFacts): Promise<AgentState> {
  const { backend } = config;
  const isChosen = (name: string): boolean => backend === name || backend === "auto";
  const named = backend === "auto" ? "" : ", since `agent.backend` names it";
  if (isChosen("gateway")) {
    const { address, isThere } = await locateGateway({ env, homedir }, {});
    const { name } = gatewayEndpoint(address);
    if (backend === "gateway" || (await isThere()))
      return {
        backend: "gateway",
        name,
        why: `OpenClaw's gateway takes the orders${named} (found by ${address.from}).`,
      };
  }
  if (isChosen("model")) {
    try {
      const model = findModel(config.model, env);
      if (model !== undefined)
        return { backend: "model", name: model.name, why: `A model of ${model.provider} takes the orders${named}.` };
    } catch (error) {
      return { backend: "model", why: redactText(messageOf(error)) };
    }
  }
  return {
    backend: "commands",
    why: "No OpenClaw gateway is running and no model is named, so only commands such as `/mcp` work. Start `openclaw gateway`, or set `agent.model`.",
  };
}
