import { isDeepStrictEqual } from "node:util";
import type { Config } from "../../../core/config/config-schema.ts";
import { removeJson5, setJson5 } from "../../../core/config/edit-json5.ts";
import { type MachineConfig, machineSwitches, migrateMachine, trayKeys } from "../../../core/config/machine-config.ts";
import { readJson5 } from "../../../core/config/read-json5.ts";
import { Fault } from "../../../core/fault.ts";
import type { Home } from "../../../core/files/home.ts";
import { asRecord } from "../../../core/is-record.ts";
import type { Log } from "../../../core/log.ts";
import { quoted } from "../../../core/peer-text.ts";
import type { World } from "../../../core/process/world.ts";
import { ensureMainToken, mainTokenPath } from "../../../doors/mcp/main-token.ts";
import type { NodeDoor } from "../../../doors/node/node-door.ts";
import type { GatewayFlags } from "../../../openclaw/locate-gateway.ts";
import type { OpenedMachine } from "../../../sources/machine/open-machine.ts";
import type { EditedConfigFile } from "./config-file.ts";
import type {
  MachineCapability,
  MachineControl,
  MachineHost,
  MachineSettings,
  MachineState,
  McpStatusText,
} from "./settings-control.ts";

export interface MachineControlOptions {
  readonly file: EditedConfigFile;
  readonly home: Home;
  readonly env: World["env"];
  readonly homedir: string;
  readonly log: Log;
  readonly version: string;
  /** What this process started with. */
  readonly started: MachineConfig;
  /** What the file says now. */
  config(): Promise<Pick<Config, "machine" | "hub">>;
  /** Whether it is `clawport node` that serves, which offers this computer in any case. */
  isNode(): Promise<boolean>;
  readonly live: LiveMachine;
}

/** What runs of this computer in this process. */
export interface LiveMachine {
  machine(): OpenedMachine | undefined;
  gatewayNode(): NodeDoor | undefined;
  openGatewayNode(flags: GatewayFlags): Promise<NodeDoor>;
  /** `http://127.0.0.1:8765`; undefined if it serves no clients. */
  httpAddress(): string | undefined;
}

export function createMachineControl(options: MachineControlOptions): MachineControl {
  const { file, home, env, homedir, log, version, live } = options;
  const tokens = { home, env, log };

  async function read(): Promise<MachineState> {
    const { machine: settings, hub } = await options.config();
    const { mcp, gateway } = machineSwitches(settings);
    const host = await readHost();
    const address = live.httpAddress();
    return {
      host,
      settings: { enabled: settings.enabled, enableMcpServer: mcp, enableNodeMode: gateway },
      needsRestart: host !== "none" && !isDeepStrictEqual(partFor(host, settings), partFor(host, options.started)),
      tools: { offered: live.machine() !== undefined, afterRestart: host === "node" || settings.enabled },
      endpoint: `${address ?? `http://127.0.0.1:${hub.port}`}/`,
      status: statusOf(host === "hub" || mcp, address !== undefined),
      tokenPath: mainTokenPath(tokens),
      maskedToken: "•".repeat(12),
      capabilities: await capabilities(),
      ...gatewayPart(live.gatewayNode()),
    };
  }

  async function readHost(): Promise<MachineHost> {
    if (await options.isNode()) return "node";
    return live.httpAddress() === undefined ? "none" : "hub";
  }

  async function capabilities(): Promise<readonly MachineCapability[]> {
    const machine = live.machine();
    if (machine === undefined) return [];
    const grants = await machine.consent.list();
    return machine.registry.list().map(({ capability, availability }) => ({
      name: capability.name,
      title: capability.title,
      description: capability.description,
      risk: capability.risk,
      consent: machine.consent.modeOf(capability),
      standard: capability.consent,
      ...(!availability.ok && { unavailable: { reason: availability.reason, fix: availability.fix } }),
      grants: grants
        .filter(({ capability: about }) => about === capability.name)
        .map(({ choice, caller, at }) => ({ choice, at, ...(caller !== undefined && { caller }) })),
    }));
  }

  return {
    read,
    async set(settings) {
      const given = Object.entries(settings).filter(([, value]) => value !== undefined);
      if (given.length === 0) throw new Fault("bad-params", "Name a switch to change.");
      requireUse(await readHost(), settings);
      await file.change((text) =>
        given.reduce((all, [key, value]) => setJson5(all, ["machine", key], value), modernize(text)),
      );
      return read();
    },
    async consent(capability, mode) {
      if (!/^[a-z][A-Za-z0-9]*(?:\.[A-Za-z0-9]+){0,3}$/.test(capability))
        throw new Fault("usage", `${quoted(capability, 100)} is not the name of a tool such as clipboard.read.`);
      const path = ["machine", "consent", capability];
      await file.change((text) => {
        if (mode !== "default") return setJson5(text, path, mode);
        return isSet(text, capability) ? removeJson5(text, path) : text;
      });
      return read();
    },
    async forget(capability) {
      const machine = live.machine();
      if (machine === undefined) throw notOffered();
      return { forgotten: await machine.consent.forget(capability) };
    },
    revealToken: async () => ({ token: (await ensureMainToken(tokens)).reveal() }),
    async pairing() {
      const { readLocalCommands, readStanding } = await import("../../node/node-standing.ts");
      const { gatewayOfNode, openDevice } = await import("../../engine/open-gateway-node.ts");
      const { machine } = await options.config();
      const address = await gatewayOfNode(machine, { env, homedir });
      const device = await openDevice(home, { log });
      const local = await readLocalCommands(home, { machine }, { env, homedir, log }, version);
      return readStanding({ address, device, local, version, log, signal: AbortSignal.timeout(pairingMs) });
    },
    async pair({ gateway, token, password }) {
      if (live.machine() === undefined) throw notOffered();
      const before = live.gatewayNode();
      if (before === undefined) await live.openGatewayNode({ gateway, token, password });
      await file.change((text) => {
        const on = setJson5(text, ["machine", "enableNodeMode"], true);
        return gateway === undefined ? on : setJson5(on, ["machine", "gatewayUrl"], gateway);
      });
      return read();
    },
  };
}

const pairingMs = 30_000;

/** The tray's words. A switch that was just turned on takes effect with a restart. */
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

/** What this process read at its start. Consent counts at once, and each has a switch that is for the other. */
function partFor(host: MachineHost, machine: MachineConfig): object {
  return { ...machine, consent: {}, [host === "node" ? "enabled" : "enableMcpServer"]: false };
}

/** A switch that has no effect on what runs would only seem to work. */
function requireUse(host: MachineHost, { enabled, enableMcpServer }: Partial<Record<keyof MachineSettings, unknown>>) {
  if (host === "hub" && enableMcpServer !== undefined)
    throw new Fault(
      "conflict",
      "A hub always serves MCP clients; this switch is for `clawport node`. Run `clawport stop` first, then set it.",
    );
  if (host === "node" && enabled !== undefined)
    throw new Fault(
      "conflict",
      "A node always offers the tools of this computer; this switch is for `clawport up`. Run `clawport stop` first, then set it.",
    );
}

function isSet(text: string, capability: string): boolean {
  return Object.hasOwn(asRecord(machineOf(text)["consent"]), capability);
}

function machineOf(text: string): Readonly<Record<string, unknown>> {
  return asRecord(asRecord(text.trim() === "" ? {} : readJson5(text).value)["machine"]);
}

/** Switches that the tray wrote, under their present names. */
function modernize(text: string): string {
  const machine = machineOf(text);
  const old = trayKeys.filter((key) => Object.hasOwn(machine, key));
  if (old.length === 0) return text;
  const { enableNodeMode, enableMcpServer } = asRecord(asRecord(migrateMachine({ machine }))["machine"]);
  const switches = Object.entries({ enableNodeMode, enableMcpServer }).filter(([, value]) => value !== undefined);
  const cleared = old.reduce((all, key) => removeJson5(all, ["machine", key]), text);
  return switches.reduce((all, [key, value]) => setJson5(all, ["machine", key], value), cleared);
}

function notOffered(): Fault {
  return new Fault(
    "unavailable",
    "The tools of this computer are not offered. Switch them on, then restart the hub: `clawport stop`, `clawport up`.",
  );
}
