import { endpointOf, findGateway, type GatewayAddress } from "../sources/agent/gateway/find-gateway.ts";
import type { AgentFlags } from "./agent-options.ts";
import { isListening } from "./is-listening.ts";
import type { World } from "./world.ts";

export interface LocatedGateway {
  readonly address: GatewayAddress;
  /** One that was named is wanted, there or not: falling back in silence would hide that it is down. */
  isThere(): Promise<boolean>;
}

/** The gateway that the flags, the environment or OpenClaw's own configuration name. */
export async function locateGateway(
  { env, homedir }: Pick<World, "env" | "homedir">,
  { gateway: url, token, password }: AgentFlags,
): Promise<LocatedGateway> {
  const address = await findGateway({ flags: { url, token, password }, env, homedir });
  const { host, port } = endpointOf(address);
  return { address, isThere: async () => address.stateFolder === undefined || isListening(host, port) };
}
