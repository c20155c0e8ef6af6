import { toFault } from "../../core/fault.ts";
import { isListening } from "../../core/http/is-listening.ts";
import { asRecord } from "../../core/is-record.ts";
import type { World } from "../../core/process/world.ts";
import { type GatewayAddress, gatewayEndpoint, resolveGatewayAddress } from "../../openclaw/locate-gateway.ts";
import type { Finding } from "./finding.ts";

/** It may be on another machine. */
const patienceMs = 2000;

/** Whether the gateway that orders go to takes connections. Nobody has to have one, so its absence is no failure. */
export async function checkOpenClaw({ env, homedir }: Pick<World, "env" | "homedir">): Promise<Finding[]> {
  try {
    return [await look(await resolveGatewayAddress({ env, homedir }))];
  } catch (error) {
    const { message, detail } = toFault(error);
    const { variable } = asRecord(detail);
    const fix = typeof variable === "string" ? `export ${variable}=…` : "openclaw doctor";
    return [{ level: "warn", what: message, fix }];
  }
}

async function look(address: GatewayAddress): Promise<Finding> {
  const { host, port, name } = gatewayEndpoint(address);
  if (await isListening(host, port, patienceMs)) return { level: "ok", what: `an OpenClaw gateway answers at ${name}` };
  const isOurs = address.stateFolder !== undefined;
  return {
    level: "info",
    what: `no OpenClaw gateway at ${name}${isOurs ? "" : `, which ${address.from} names`}; needed only to talk to its agent`,
    fix: isOurs ? "openclaw gateway" : "openclaw gateway health",
  };
}
