import { toFault } from "../../core/fault.ts";
import { isListening } from "../../core/http/is-listening.ts";
import { asRecord } from "../../core/is-record.ts";
import type { World } from "../../core/process/world.ts";
import { type GatewayAddress, gatewayEndpoint, resolveGatewayAddress } from "../../openclaw/locate-gateway.ts";
import { requireOwnGateway } from "../../openclaw/open-gateway.ts";
import type { DoctorFinding } from "./finding.ts";

/** It may be on another machine. */
const timeoutMs = 2000;

/** Whether the gateway for orders accepts connections. A machine without OpenClaw needs none, so nothing is said there. */
export async function checkOpenClaw({ env, homedir }: Pick<World, "env" | "homedir">): Promise<DoctorFinding[]> {
  try {
    const address = await resolveGatewayAddress({ env, homedir });
    const finding = await look(address);
    return finding.level !== "ok" && isNowhereNamed(address) ? [] : [finding];
  } catch (error) {
    const { message, detail } = toFault(error);
    const { variable } = asRecord(detail);
    const fix = typeof variable === "string" ? `export ${variable}=…` : "openclaw doctor";
    return [{ level: "warn", what: message, fix }];
  }
}

/** Whether neither a setting nor a configuration of OpenClaw led to it. */
function isNowhereNamed({ stateFolder, owner, from }: GatewayAddress): boolean {
  return stateFolder !== undefined && owner === undefined && !from.startsWith("OPENCLAW_");
}

async function look(address: GatewayAddress): Promise<DoctorFinding> {
  const { host, port, name } = gatewayEndpoint(address);
  if (await isListening(host, port, timeoutMs)) {
    requireOwnGateway(address);
    return { level: "ok", what: `OpenClaw's gateway is running at ${name}` };
  }
  const isOurs = address.stateFolder !== undefined;
  return {
    level: "info",
    what: `OpenClaw's gateway is not running at ${name}${isOurs ? "" : ` (set by ${address.from})`}; it is needed only for OpenClaw's agent`,
    fix: isOurs ? "openclaw gateway" : "openclaw gateway health",
  };
}
