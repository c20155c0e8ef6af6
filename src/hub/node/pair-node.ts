import { hostname } from "node:os";
import { Fault, isFault } from "../../core/fault.ts";
import type { Home } from "../../core/files/home.ts";
import { asRecord } from "../../core/is-record.ts";
import type { Log } from "../../core/log.ts";
import { readVersion } from "../../core/version.ts";
import { orAborted, sleep, withDeadline } from "../../core/wait.ts";
import { gatewayEndpoint, type GatewayFlags } from "../../openclaw/locate-gateway.ts";
import { type NodeLinkState, openNodeLink } from "../../openclaw/open-node-link.ts";
import { readConfigOf } from "../state/active-config.ts";
import { findHubOrNode } from "../state/find-hub.ts";
import type { HubStatus } from "../control/queries/hub-status.ts";
import { createRemoteControl } from "../control/remote-control.ts";
import { gatewayOfNode, openDevice } from "../engine/open-gateway-node.ts";
import type { Host } from "../state/host.ts";
import { claimHub } from "../state/hub-record.ts";
import { openHomeOf } from "../state/open-home.ts";
import {
  type PairingStatus,
  pairingTimeout,
  readLocalCommands,
  readPairingStatus,
} from "../engine/node-command-status.ts";

export interface PairRequest {
  readonly flags: GatewayFlags;
  readonly timeoutMs: number;
  /** What the user, or the owner of the gateway, has to do next. */
  tell(line: string): void;
}

async function openOf(host: Host, flags: GatewayFlags) {
  const home = await openHomeOf(host);
  const { config } = await readConfigOf(host);
  const address = await gatewayOfNode(config.machine, host, flags);
  const device = await openDevice(home, host);
  const version = readVersion();
  const local = await readLocalCommands(home, config, host, version);
  const { log } = host;
  return { home, config, version, address, device, local, log, signal: host.stopSignal() };
}

/** What the gateway knows of this computer, command by command. */
export async function readNodeStatus(host: Host, flags: GatewayFlags): Promise<NodeStatus> {
  const opened = await openOf(host, flags);
  const [pairing, recording] = await Promise.all([readPairingStatus(opened), readRecording(opened.home)]);
  return { ...pairing, ...(recording && { recording }) };
}

export interface NodeStatus extends PairingStatus {
  /** What the running node records now; absent if nothing, or if none runs. */
  readonly recording?: HubStatus["recording"];
}

async function readRecording(home: Home): Promise<HubStatus["recording"]> {
  const hub = await findHubOrNode(home).catch(() => undefined);
  if (hub === undefined) return undefined;
  const control = createRemoteControl(hub);
  try {
    return (await control.status.read()).recording;
  } catch {
    // One of an earlier version can't be asked.
    return undefined;
  } finally {
    control.close();
  }
}

/**
 * Connects this computer to the gateway until its owner has approved it. Answers no commands meanwhile: for that,
 * `clawport node` has to run.
 */
export async function pairNode(host: Host, { flags, timeoutMs, tell }: PairRequest): Promise<PairingStatus> {
  const opened = await openOf(host, flags);
  const { address, device, local, signal, version, log } = opened;
  const { name: gateway } = gatewayEndpoint(address);
  const claim = await claimNode(opened.home, log);
  const told = new Set<string>();
  const tellOnce = (line: string): void => void (told.has(line) || (told.add(line), tell(line)));
  const connected = Promise.withResolvers<void>();
  connected.promise.catch(() => {});
  const resolved = Promise.withResolvers<void>();
  const commands = local.filter(({ withheld }) => withheld === undefined).map(({ command }) => command);
  const link = await openNodeLink({
    address,
    version,
    log,
    identity: device.identity,
    tokens: device.tokensFor(gateway),
    displayName: hostname(),
    platform: process.platform,
    manifest: { commands, caps: [...new Set(commands.map((command) => command.split(".")[0] ?? ""))] },
    onState(state: NodeLinkState) {
      if (state.state === "connected") connected.resolve();
      else if (state.state === "rejected") connected.reject(state.fault);
      else if (state.fault !== undefined) tellOnce(state.fault.message);
    },
    onEvent({ event, payload }) {
      if (event === "node.pair.resolved" && asRecord(payload)["nodeId"] === device.identity.deviceId)
        resolved.resolve();
    },
  });
  try {
    return await withDeadline(timeoutMs, signal, async (ended) => {
      await orAborted(connected.promise, ended);
      const first = await readSettled(() => readPairingStatus({ ...opened, signal: ended }), ended);
      if (first.seen?.requestId === undefined) return first;
      tellOnce(
        `Connected to ${gateway}. To approve the commands of this computer, run this where the gateway runs:\n  openclaw nodes approve ${first.seen.requestId}`,
      );
      for (;;) {
        // The event is lost if the approval comes while the node connects.
        await Promise.race([orAborted(resolved.promise, ended), sleep(pollMs, ended)]);
        const later = await readPairingStatus({ ...opened, signal: ended });
        if (later.seen?.approvalState !== "pending-approval" && later.seen?.approvalState !== "pending-reapproval")
          return later;
        await sleep(lookMs, ended);
      }
    });
  } catch (error) {
    throw isFault(error, "timeout") ? pairingTimeout(gateway) : error;
  } finally {
    await link.close();
    await device.saved();
    await claim.release();
  }
}

const pollMs = 2000;
const maxLooks = 10;
const lookMs = 300;

/** The gateway lists a node a moment after it has accepted the connection. */
async function readSettled(read: () => Promise<PairingStatus>, signal: AbortSignal): Promise<PairingStatus> {
  for (let look = 1; ; look++) {
    const pairing = await read();
    const { seen, problem } = pairing;
    const isSettled = seen?.connected === true && (seen.requestId !== undefined || seen.approvalState === "approved");
    if (isSettled || problem !== undefined || look === maxLooks) return pairing;
    await sleep(lookMs, signal);
  }
}

/** A second connection of the same node would end that of the running one. */
async function claimNode(home: Home, log: Log): ReturnType<typeof claimHub> {
  try {
    return await claimHub(home, log);
  } catch (error) {
    if (!isFault(error, "conflict") && !isFault(error, "locked")) throw error;
    const message =
      "A node or a hub of this state folder is running. If `machine.enableNodeMode` is set, it pairs by itself: run `clawport node status`.";
    throw new Fault("conflict", message, { cause: error });
  }
}
