import { messageOf } from "../../../core/fault.ts";
import { redactText } from "../../../core/secrets/redact.ts";
import { gatewayEndpoint, locateGateway } from "../../../openclaw/locate-gateway.ts";
import { findModel } from "../../../sources/agent/model/find-model.ts";
import type { HubContext } from "../contexts.ts";

export interface AgentState {
  /** What takes the orders: OpenClaw's gateway, a model, or only the commands that need neither. `none`: no orders are taken. */
  readonly backend: "gateway" | "model" | "commands" | "none";
  readonly why: string;
  /** The model, or the gateway's address. */
  readonly name?: string | undefined;
}

/** Which agent would take the next order, chosen as an order would choose it. */
export async function readAgent({ engine, env, homedir }: HubContext): Promise<AgentState> {
  if (!engine.catalog.sources().some(({ id }) => id === "agent"))
    return { backend: "none", why: "This process takes no orders. Run `clawport up` for a hub that does." };
  const config = engine.config.agent;
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
