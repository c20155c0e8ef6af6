import { setJson5 } from "../../../core/config/json5/edit-json5.ts";
import { gatewayOfNode, openDevice } from "../../engine/open-gateway-node.ts";
import { readConfigAt } from "../../state/active-config.ts";
import { type PairingStatus, readLocalCommands, readPairingStatus } from "../../engine/node-command-status.ts";
import type { HubContext } from "../contexts.ts";
import type { Input } from "../input.ts";
import type { pairing } from "../verbs/settings.ts";
import { machineFile } from "./edit-machine.ts";
import { type MachineState, requireMachine } from "./machine-state.ts";

const pairingMs = 30_000;

export async function readPairing({ home, env, homedir, log, place, engine }: HubContext): Promise<PairingStatus> {
  const { version } = engine;
  const { machine } = (await readConfigAt(place, home, env)).config;
  const address = await gatewayOfNode(machine, { env, homedir });
  const device = await openDevice(home, { log });
  const local = await readLocalCommands(home, { machine }, { env, homedir, log }, version);
  return readPairingStatus({ address, device, local, version, log, signal: AbortSignal.timeout(pairingMs) });
}

export async function pairMachine(
  hub: HubContext,
  { gateway, token, password }: Input<typeof pairing>,
): Promise<MachineState> {
  requireMachine(hub);
  if (hub.engine.gatewayNode === undefined) await hub.engine.openGatewayNode({ gateway, token, password });
  await machineFile(hub).change((text) => {
    const on = setJson5(text, ["machine", "enableNodeMode"], true);
    return gateway === undefined ? on : setJson5(on, ["machine", "gatewayUrl"], gateway);
  });
  return hub.readMachine();
}
