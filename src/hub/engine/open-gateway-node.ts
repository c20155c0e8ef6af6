import { hostname } from "node:os";
import type { MachineConfig } from "../../core/config/machine-config.ts";
import { Fault } from "../../core/fault.ts";
import type { Home } from "../../core/files/home.ts";
import { isLoopbackHostname } from "../../core/http/addresses.ts";
import { quoted } from "../../core/text/peer-text.ts";
import { type NodeDevice, openNodeDevice } from "../../doors/node/node-device.ts";
import { type NodeDoor, openNodeDoor } from "../../doors/node/node-door.ts";
import { type GatewayAddress, type GatewayFlags, resolveGatewayAddress } from "../../openclaw/locate-gateway.ts";
import type { OpenedMachine } from "../../sources/machine/open-machine.ts";
import type { EngineParts } from "./engine-parts.ts";

/** Offers this computer to the OpenClaw gateway as a node. */
export async function openGatewayNode(
  parts: EngineParts,
  machine: OpenedMachine,
  address: GatewayAddress,
): Promise<NodeDoor> {
  const { home, log, version, catalog, guard } = parts;
  const device = await openDevice(home, parts);
  return openNodeDoor({
    address,
    device,
    machine,
    catalog,
    guard,
    log,
    version,
    displayName: hostname(),
    platform: process.platform,
  });
}

export function openDevice(home: Home, { log }: Pick<EngineParts, "log">): Promise<NodeDevice> {
  return openNodeDevice(home.file("machine", "device.json"), log);
}

/** The configured gateway, or the one that OpenClaw's own programs would use. */
export async function gatewayOfNode(
  { gatewayUrl }: Pick<MachineConfig, "gatewayUrl">,
  world: Pick<EngineParts, "env" | "homedir">,
  flags: GatewayFlags = {},
): Promise<GatewayAddress> {
  const isConfigured = flags.gateway === undefined && gatewayUrl !== undefined;
  const address = await resolveGatewayAddress({
    ...world,
    flags: isConfigured ? { ...flags, gateway: gatewayUrl } : flags,
  });
  const found = isConfigured ? { ...address, from: "machine.gatewayUrl", credentialsFrom: nodeCredentials } : address;
  requireEncryption(found, world.env);
  return found;
}

const nodeCredentials = "`--token` of `clawport node pair` or `clawport node status`, not OPENCLAW_GATEWAY_TOKEN";

/** Commands and their output would be readable on the way. The variable is the one that OpenClaw's programs heed. */
function requireEncryption({ url, from }: GatewayAddress, env: EngineParts["env"]): void {
  const { protocol, hostname: host } = new URL(url);
  if (protocol === "wss:" || isLoopbackHostname(host) || env["OPENCLAW_ALLOW_INSECURE_PRIVATE_WS"] === "1") return;
  throw new Fault(
    "config",
    `The gateway ${quoted(host)} (from ${from}) must be reached by wss://, since it is not on this computer. Change the address, or use an SSH tunnel.`,
  );
}
