import type { Log } from "../core/log.ts";
import type { AgentTools } from "../sources/agent/agent-tools.ts";
import { type BackendCandidate, chooseBackend, type ChosenBackend } from "../sources/agent/choose-backend.ts";
import { createCommandsBackend, type McpCommand } from "../sources/agent/commands/commands-backend.ts";
import type { GatewayAddress } from "../sources/agent/gateway/find-gateway.ts";
import type { AgentFlags } from "./agent-options.ts";
import { readVersion } from "./version.ts";
import type { World } from "./world.ts";

export interface BackendOptions {
  readonly world: Pick<World, "env" | "homedir">;
  readonly flags: AgentFlags;
  readonly log: Log;
  readonly mcp?: McpCommand | undefined;
  tools(): Promise<AgentTools>;
}

/** A running OpenClaw, else what works without an agent. */
export function openBackend({ world, flags, log, mcp, tools }: BackendOptions): ChosenBackend {
  const commands = createCommandsBackend({
    tools,
    mcp,
    waysToAnAgent: [
      'Start OpenClaw on this machine: "openclaw gateway".',
      "Name a gateway that runs elsewhere: OPENCLAW_GATEWAY_URL and OPENCLAW_GATEWAY_TOKEN, or --gateway and --token.",
    ],
  });
  return chooseBackend([gatewayCandidate(world, flags, log)], commands);
}

function gatewayCandidate({ env, homedir }: BackendOptions["world"], flags: AgentFlags, log: Log): BackendCandidate {
  const address = async (): Promise<GatewayAddress> => {
    const { findGateway } = await import("../sources/agent/gateway/find-gateway.ts");
    const { gateway: url, token, password } = flags;
    return findGateway({ flags: { url, token, password }, env, homedir });
  };
  return {
    name: "gateway",
    async isThere() {
      const { url, stateFolder } = await address();
      // One that was named is wanted, there or not: falling back in silence would hide that it is down.
      if (stateFolder === undefined) return true;
      const { isListening } = await import("./is-listening.ts");
      return isListening("127.0.0.1", Number(new URL(url).port));
    },
    async open() {
      const { openGateway } = await import("../sources/agent/gateway/open-gateway.ts");
      const { createGatewayBackend } = await import("../sources/agent/gateway/gateway-backend.ts");
      const gateway = await openGateway({ address: await address(), log, version: readVersion() });
      return createGatewayBackend({ gateway, agentId: flags.agent });
    },
  };
}
