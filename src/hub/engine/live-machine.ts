import type { MachineConfig } from "../../core/config/machine-config.ts";
import type { NodeDoor } from "../../doors/node/node-door.ts";
import type { GatewayAddress, GatewayFlags } from "../../openclaw/locate-gateway.ts";
import type { EngineParts } from "./engine-parts.ts";
import type { OfferedMachine, OpenMachineWiring } from "./open-machine.ts";
import { createSerialQueue } from "../../core/serial-queue.ts";

export interface LiveMachineOptions {
  /** Whether the tools of this computer are offered: if `machine.enabled` says so, or in any case. Never unless given. */
  readonly offers: "as-configured" | "always" | undefined;
  /** Whether it becomes a node of a gateway if `machine.enableNodeMode` says so. */
  readonly isNode: boolean;
  readonly wiring: OpenMachineWiring;
}

/** This computer in a running engine: its tools and its connection to a gateway, as the configuration says now. */
export interface LiveMachine {
  machine(): OfferedMachine | undefined;
  gatewayNode(): NodeDoor | undefined;
  /** Opens, changes or closes the tools. */
  applyTools(config: MachineConfig): Promise<void>;
  /** Connects to the gateway, or to another one, or disconnects. */
  applyGateway(config: MachineConfig): Promise<void>;
  /** For a person who pairs this computer while it runs. */
  openGatewayNode(config: MachineConfig, flags: GatewayFlags): Promise<NodeDoor>;
}

export function createLiveMachine(parts: EngineParts, options: LiveMachineOptions): LiveMachine {
  const { closers } = parts;
  let machine: OfferedMachine | undefined;
  let node: NodeDoor | undefined;
  let nodeUrl: string | undefined;
  /** What is being opened must not outlive the edit that closes it. */
  const runSerially = createSerialQueue();
  closers.add("machine", () => runSerially(closeMachine));

  async function closeNode(): Promise<void> {
    const open = node;
    node = undefined;
    await open?.close();
  }

  async function closeMachine(): Promise<void> {
    await closeNode();
    const open = machine;
    machine = undefined;
    await open?.close();
  }

  async function connect(address: GatewayAddress): Promise<NodeDoor> {
    if (machine === undefined) throw new TypeError("the tools of this computer are not offered");
    const { openGatewayNode } = await import("./open-gateway-node.ts");
    node = await openGatewayNode(parts, machine, address);
    nodeUrl = address.url;
    return node;
  }

  async function addressOf(config: MachineConfig, flags?: GatewayFlags): Promise<GatewayAddress> {
    const { gatewayOfNode } = await import("./open-gateway-node.ts");
    return gatewayOfNode(config, parts, flags);
  }

  async function applyTools(config: MachineConfig): Promise<void> {
    const isWanted = options.offers === "always" || (options.offers === "as-configured" && config.enabled);
    if (!isWanted) return closeMachine();
    if (machine !== undefined) return machine.change(config);
    const { openConfiguredMachine } = await import("./open-machine.ts");
    machine = await openConfiguredMachine(parts, config, options.wiring);
  }

  async function applyGateway(config: MachineConfig): Promise<void> {
    if (!options.isNode || machine === undefined || !config.enableNodeMode) return closeNode();
    const address = await addressOf(config);
    if (node !== undefined && nodeUrl === address.url) return;
    await closeNode();
    await connect(address);
  }

  return {
    machine: () => machine,
    gatewayNode: () => node,
    applyTools: (config) => runSerially(() => applyTools(config)),
    applyGateway: (config) => runSerially(() => applyGateway(config)),
    openGatewayNode: (config, flags) => runSerially(async () => connect(await addressOf(config, flags))),
  };
}
