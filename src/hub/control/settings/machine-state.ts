import { machineSwitches } from "../../../core/config/machine-config.ts";
import { Fault } from "../../../core/fault.ts";
import { mainTokenPath } from "../../../doors/mcp/main-token.ts";
import type { NodeDoor } from "../../../doors/node/node-door.ts";
import type { ConsentMode, Risk } from "../../../sources/machine/capability.ts";
import type { ConsentGrant } from "../../../sources/machine/consent.ts";
import type { OpenedMachine } from "../../../sources/machine/open-machine.ts";
import { readConfigAt } from "../../state/active-config.ts";
import type { HubContext } from "../contexts.ts";

export interface MachineCapability {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly risk: Risk;
  /** What applies now. */
  readonly consent: ConsentMode;
  /** What applies unless the configuration says otherwise. */
  readonly standard: ConsentMode;
  /** Why this computer can't do it, and what would help. */
  readonly unavailable?: { readonly reason: string; readonly fix?: string | undefined } | undefined;
  /** What was decided about it, for a caller or for all. */
  readonly grants: readonly Pick<ConsentGrant, "choice" | "caller" | "at">[];
}

/** What answers: a hub, which always serves MCP; a node, which always offers this computer; `none` while neither runs. */
export type MachineHost = "hub" | "node" | "none";

/** As the tray words it. A hub that answers is `Listening`. */
type McpStatusText = "Listening" | "Stopped — save and restart to start" | "Disabled";

interface MachineSettings {
  /** Whether a hub offers the tools of this computer. Not set while a node runs. */
  readonly enabled: boolean;
  /** Whether a node serves MCP clients. Not set while a hub runs. */
  readonly enableMcpServer: boolean;
  readonly enableNodeMode: boolean;
}

export interface MachineState {
  readonly host: MachineHost;
  /** As the configuration file has them. */
  readonly settings: MachineSettings;
  /** Whether a node was started with another value of `enableMcpServer`. The others count at once. */
  readonly needsRestart: boolean;
  /** Whether MCP clients get the tools of this computer. */
  readonly tools: { readonly offered: boolean; readonly afterRestart: boolean };
  readonly endpoint: string;
  readonly status: McpStatusText;
  readonly tokenPath: string;
  /** Never the token itself. */
  readonly maskedToken: string;
  /** Empty while the tools of this computer are not offered. */
  readonly capabilities: readonly MachineCapability[];
  /** The connection to the gateway; absent if it is off. */
  readonly gateway?:
    | {
        readonly nodeId: string;
        readonly address: string;
        readonly state: string;
        readonly problem?: string | undefined;
      }
    | undefined;
}

type Shown = Pick<HubContext, "home" | "env" | "place" | "engine">;

export async function readMachine({ home, env, place, engine }: Shown): Promise<MachineState> {
  const { machine: settings, hub } = (await readConfigAt(place, home, env)).config;
  const { mcp, gateway } = machineSwitches(settings);
  const address = engine.http?.address;
  const host: MachineHost = engine.isNode ? "node" : address === undefined ? "none" : "hub";
  return {
    host,
    settings: { enabled: settings.enabled, enableMcpServer: mcp, enableNodeMode: gateway },
    needsRestart: host === "node" && mcp !== machineSwitches(engine.config.machine).mcp,
    tools: { offered: engine.machine !== undefined, afterRestart: host === "node" || settings.enabled },
    endpoint: `${address ?? `http://127.0.0.1:${hub.port}`}/`,
    status: statusOf(host === "hub" || mcp, address !== undefined),
    tokenPath: mainTokenPath({ home, env }),
    maskedToken: "•".repeat(12),
    capabilities: engine.machine === undefined ? [] : await listCapabilities(engine.machine),
    ...gatewayPart(engine.gatewayNode),
  };
}

async function listCapabilities({ consent, registry }: OpenedMachine): Promise<readonly MachineCapability[]> {
  const grants = await consent.list();
  return registry.list().map(({ capability, availability }) => ({
    name: capability.name,
    title: capability.title,
    description: capability.description,
    risk: capability.risk,
    consent: consent.modeOf(capability),
    standard: capability.consent,
    ...(!availability.ok && { unavailable: { reason: availability.reason, fix: availability.fix } }),
    grants: grants
      .filter(({ capability: about }) => about === capability.name)
      .map(({ choice, caller, at }) => ({ choice, at, ...(caller !== undefined && { caller }) })),
  }));
}

/** The tray's words. */
function statusOf(isWanted: boolean, isLive: boolean): McpStatusText {
  if (!isWanted) return "Disabled";
  return isLive ? "Listening" : "Stopped — save and restart to start";
}

function gatewayPart(node: NodeDoor | undefined): Pick<MachineState, "gateway"> {
  if (node === undefined) return {};
  const state = node.state();
  const problem = "fault" in state ? state.fault?.message : undefined;
  return {
    gateway: {
      nodeId: node.nodeId,
      address: node.gateway,
      state: state.state,
      ...(problem !== undefined && { problem }),
    },
  };
}

/** Faults if the tools of this computer are not offered. */
export function requireMachine({ engine }: Pick<HubContext, "engine">): OpenedMachine {
  if (engine.machine !== undefined) return engine.machine;
  throw new Fault(
    "unavailable",
    "The tools of this computer are not offered. Switch them on: `clawport node settings --offer on`.",
  );
}

export async function forgetConsent(hub: HubContext, capability: string): Promise<{ readonly forgotten: number }> {
  return { forgotten: await requireMachine(hub).consent.forget(capability) };
}
