import type { Config } from "../../core/config/config-schema.ts";
import { Fault, isFault } from "../../core/fault.ts";
import type { Home } from "../../core/files/home.ts";
import { asRecord } from "../../core/is-record.ts";
import type { Log } from "../../core/log.ts";
import type { NodeDevice } from "../../doors/node/node-device.ts";
import { type GatewayAddress, gatewayEndpoint } from "../../openclaw/locate-gateway.ts";
import { openGateway } from "../../openclaw/open-gateway.ts";
import { unavailableText } from "../../sources/machine/capability.ts";
import { openMachine } from "../../sources/machine/open-machine.ts";
import type { Host } from "../state/host.ts";

/** What this computer would do for the gateway, and if not, why. */
export interface LocalCommand {
  readonly command: string;
  /** Undefined if it is declared to the gateway. */
  readonly withheld?: string | undefined;
}

/** How far one command has come: declared by this computer, allowed by the gateway's policy, approved by its owner. */
export interface NodeCommandStatus {
  readonly command: string;
  readonly declared: boolean;
  /** Undefined if the gateway was not asked, or does not know this computer. */
  readonly allowed?: boolean | undefined;
  readonly approved?: boolean | undefined;
  /** What is missing, and what to do; empty if the gateway can call it. */
  readonly next: string;
}

/** What the gateway has of a node, as far as it is needed here. */
export interface GatewayView {
  readonly connected: boolean;
  readonly approvalState: string;
  readonly requestId?: string | undefined;
  /** Those it can call now. */
  readonly commands: readonly string[];
  /** Those that wait for approval. */
  readonly pending: readonly string[];
}

export interface PairingStatus {
  readonly nodeId: string;
  /** Host and port. */
  readonly gateway: string;
  readonly seen?: GatewayView | undefined;
  /** Why the gateway could not be asked. */
  readonly problem?: string | undefined;
  readonly commands: readonly NodeCommandStatus[];
}

interface PairingStatusOptions {
  readonly address: GatewayAddress;
  readonly device: Pick<NodeDevice, "identity">;
  readonly local: readonly LocalCommand[];
  readonly version: string;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** Asks the gateway as one of its operator's programs: it tells a node nothing of this. */
export async function readPairingStatus(options: PairingStatusOptions): Promise<PairingStatus> {
  const { address, device, local, signal } = options;
  const { deviceId: nodeId } = device.identity;
  const { name: gateway } = gatewayEndpoint(address);
  try {
    const seen = await askGateway(nodeId, options);
    return { nodeId, gateway, seen, commands: judgeCommands(local, seen) };
  } catch (error) {
    if (signal.aborted || !isFault(error)) throw error;
    return { nodeId, gateway, problem: error.message, commands: judgeCommands(local, undefined) };
  }
}

async function askGateway(
  nodeId: string,
  { address, version, log, signal }: PairingStatusOptions,
): Promise<GatewayView | undefined> {
  const client = { scopes: ["operator.read"], caps: [] };
  const operator = await openGateway({ address, version, log, client, patienceMs: 10_000 });
  try {
    await operator.connected(signal);
    const { nodes } = await operator.request<{ nodes?: unknown }>("node.list", {}, { signal });
    const found = (Array.isArray(nodes) ? nodes : []).map(asRecord).find((node) => node["nodeId"] === nodeId);
    return found && parseView(found);
  } finally {
    await operator.close();
  }
}

function parseView(node: Readonly<Record<string, unknown>>): GatewayView {
  const { connected, approvalState, pendingRequestId, commands, pendingDeclaredCommands } = node;
  return {
    connected: connected === true,
    approvalState: approvalStates.find((known) => known === approvalState) ?? "unknown",
    requestId:
      typeof pendingRequestId === "string" && /^[\w.:-]{1,100}$/.test(pendingRequestId) ? pendingRequestId : undefined,
    commands: namesIn(commands),
    pending: namesIn(pendingDeclaredCommands),
  };
}

const approvalStates = ["unapproved", "pending-approval", "pending-reapproval", "approved"] as const;

function namesIn(list: unknown): readonly string[] {
  return (Array.isArray(list) ? list : [])
    .filter((name) => typeof name === "string" && name.length <= 200)
    .slice(0, 1000);
}

/** The gateway drops what it does not allow without a word: what is neither approved nor pending was dropped. */
export function judgeCommands(local: readonly LocalCommand[], seen: GatewayView | undefined): NodeCommandStatus[] {
  const ours = new Map(local.map((one) => [one.command, one]));
  const names = new Set([...ours.keys(), ...(seen?.commands ?? []), ...(seen?.pending ?? [])]);
  return [...names].toSorted().map((command) => {
    const { withheld } = ours.get(command) ?? {};
    if (withheld !== undefined) return { command, declared: false, next: withheld };
    if (seen === undefined) return { command, declared: true, next: "" };
    const approved = seen.commands.includes(command);
    const allowed = approved || seen.pending.includes(command);
    return { command, declared: true, allowed, approved, next: nextStep(command, allowed, approved, seen) };
  });
}

function nextStep(command: string, allowed: boolean, approved: boolean, seen: GatewayView): string {
  if (approved) return "";
  if (allowed) return `waits for approval: \`openclaw nodes approve ${seen.requestId ?? "<id>"}\``;
  if (!seen.connected) return "the node is not connected: `clawport node`";
  return `dropped by the gateway: add ${command} to gateway.nodes.commands.allow in its configuration`;
}

/** What this computer has, whether or not a node runs. */
export async function readLocalCommands(
  home: Home,
  { machine: config }: Pick<Config, "machine">,
  { env, homedir, log }: Pick<Host, "env" | "homedir"> & { readonly log: Log },
  version: string,
): Promise<readonly LocalCommand[]> {
  const machine = await openMachine({
    config,
    folder: home.file("machine"),
    session: "",
    env,
    platform: process.platform,
    homedir,
    version,
    log,
    mcp: () => ({ listening: false }),
  });
  try {
    return machine.registry.list().flatMap(({ capability, availability }) => {
      const { name: command } = capability;
      if (capability.localOnly === true) return [];
      if (!availability.ok) return [{ command, withheld: `unavailable: ${unavailableText(availability)}` }];
      if (machine.consent.modeOf(capability) === "off")
        return [{ command, withheld: "switched off in machine.consent" }];
      return [{ command }];
    });
  } finally {
    await machine.source.close();
  }
}

/** Faults with `timeout` if the owner of the gateway did nothing in that time. */
export function pairingTimeout(gateway: string): Fault {
  return new Fault(
    "timeout",
    `The owner of the gateway ${gateway} has not approved this computer yet. Run \`clawport node pair\` again, or leave \`clawport node\` running.`,
  );
}
